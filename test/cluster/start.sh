# One Trino coordinator and two workers on loopback ports from PORT on. With a catalog of tables, at the URL CATALOG and with the key KEY,
# they are in the catalog `lake`; their files are at the S3 service STORAGE.
# sh start.sh SERVER JAVA WORK PORT [STORAGE CATALOG KEY]; prints the process ids
SERVER=$1 JAVA=$2 WORK=$3 PORT=$4 STORAGE=$5 CATALOG=$6 KEY=$7
mkdir -p "$WORK/plugin"
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
  [ -z "$CATALOG" ] || cat > "$dir/etc/catalog/lake.properties" <<END
connector.name=iceberg
iceberg.catalog.type=rest
iceberg.rest-catalog.uri=$CATALOG
iceberg.rest-catalog.security=OAUTH2
iceberg.rest-catalog.oauth2.token=$KEY
iceberg.security=READ_ONLY
fs.native-s3.enabled=true
s3.endpoint=$STORAGE
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
