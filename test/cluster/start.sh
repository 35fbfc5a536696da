# One Trino coordinator and two workers on loopback ports from PORT on. It reads files below WORK/local, and S3 at ENDPOINT if it is given.
# sh start.sh SERVER JAVA WORK PORT [ENDPOINT]; prints the process ids
SERVER=$1 JAVA=$2 WORK=$3 PORT=$4 ENDPOINT=$5
mkdir -p "$WORK/local" "$WORK/plugin"
for name in iceberg memory; do ln -sfn "$SERVER/plugin/$name" "$WORK/plugin/$name"; done
for n in 0 1 2; do
  dir=$WORK/node$n; mkdir -p "$dir/etc/catalog" "$dir/data"
  cat > "$dir/etc/config.properties" <<END
coordinator=$([ "$n" = 0 ] && echo true || echo false)
http-server.http.port=$((PORT + n))
discovery.uri=http://127.0.0.1:$PORT
$([ "$n" = 0 ] && echo node-scheduler.include-coordinator=false)
query.max-memory-per-node=600MB
plugin.dir=$WORK/plugin
node.environment=test
node.id=node$n
node.internal-address=127.0.0.1
node.bind-ip=127.0.0.1
END
  printf "io.trino=WARN\nBootstrap=WARN\nio.airlift=WARN\n" > "$dir/etc/log.properties"
  echo connector.name=memory > "$dir/etc/catalog/memory.properties"
  cat > "$dir/etc/catalog/iceberg.properties" <<END
connector.name=iceberg
iceberg.catalog.type=TESTING_FILE_METASTORE
iceberg.register-table-procedure.enabled=true
hive.metastore.catalog.dir=local:///metastore
hive.metastore.disable-location-checks=true
fs.native-local.enabled=true
local.location=$WORK/local
END
  [ -z "$ENDPOINT" ] || cat >> "$dir/etc/catalog/iceberg.properties" <<END
fs.native-s3.enabled=true
s3.endpoint=$ENDPOINT
s3.region=us-east-1
s3.path-style-access=true
s3.aws-access-key=S3RVER
s3.aws-secret-key=S3RVER
END
  (cd "$dir" && exec "$JAVA" -Xmx1200M -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+IgnoreUnrecognizedVMOptions \
    -Djdk.attach.allowAttachSelf=true --sun-misc-unsafe-memory-access=allow -Dfile.encoding=UTF-8 \
    -Dconfig=etc/config.properties -Dlog.levels-file=etc/log.properties -cp "$SERVER/lib/*" io.trino.server.TrinoServer \
    > "$dir/log.txt" 2>&1 < /dev/null) &
  echo $!
done
