# One Trino coordinator and two workers on loopback ports from PORT on, with the files of src/manual/deploy/trino. They read the tables of the
# server at EVALSTORE_URL, if it is set, in the catalog `lake`; in `open`, Trino itself would write.
# sh start.sh SERVER JAVA WORK PORT; prints the process ids
SERVER=$1 JAVA=$2 WORK=$3 PORT=$4
deploy=$(cd "$(dirname "$0")/../../src/manual/deploy/trino" && pwd)
mkdir -p "$WORK/plugin"
ln -sfn "$SERVER/plugin/iceberg" "$WORK/plugin/iceberg"
for n in 0 1 2; do
  dir=$WORK/node$n; mkdir -p "$dir/etc/catalog" "$dir/data"
  role=$([ "$n" = 0 ] && echo coordinator || echo worker)
  sed "s|http://trino:8080|http://127.0.0.1:$PORT|; s|8080|$((PORT + n))|" "$deploy/$role.properties" > "$dir/etc/config.properties"
  cat >> "$dir/etc/config.properties" <<END
query.max-memory-per-node=600MB
plugin.dir=$WORK/plugin
node.environment=test
node.id=node$n
node.internal-address=127.0.0.1
node.bind-ip=127.0.0.1
END
  printf "io.trino=WARN\nBootstrap=WARN\nio.airlift=WARN\n" > "$dir/etc/log.properties"
  if [ -n "$EVALSTORE_URL" ]; then
    cp "$deploy/evalstore.properties" "$dir/etc/catalog/lake.properties"
    grep -v READ_ONLY "$deploy/evalstore.properties" > "$dir/etc/catalog/open.properties"
  fi
  (cd "$dir" && exec "$JAVA" -Xmx1200M -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+IgnoreUnrecognizedVMOptions \
    -Djdk.attach.allowAttachSelf=true --sun-misc-unsafe-memory-access=allow -Dfile.encoding=UTF-8 \
    -Dconfig=etc/config.properties -Dlog.levels-file=etc/log.properties -cp "$SERVER/lib/*" io.trino.server.TrinoServer \
    > "$dir/log.txt" 2>&1 < /dev/null) &
  echo $!
done
