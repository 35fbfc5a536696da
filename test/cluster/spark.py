# Reads the table of a project with two executors: what it counts, and its rows as Parquet files. A stranger reads nothing, and nobody writes.
import json
import os

from pyspark.sql import SparkSession

catalog, project = "evals", os.environ["PROJECT"]
table = f"{catalog}.`{project}`.events"
builder = SparkSession.builder.master("local-cluster[2,1,1024]")
for name, value in json.loads(os.environ["SETTINGS"]).items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()


def rows(sql):
    return [list(row) for row in spark.sql(sql).collect()]


def refusal(sql):
    try:
        return rows(sql)
    except Exception as error:
        return str(error)


[[count, total, without_tags]] = rows(f"SELECT count(*), sum(`scores/exact`), count_if(tags IS NULL) FROM {table}")
selected = spark.sql(f"SELECT {os.environ['FIELDS']} FROM {table}")
selected.write.parquet("file://" + os.environ["ROWS"])
executors = spark.sparkContext._jsc.sc().statusStore().executorList(True)
tasks = {executors.apply(at).id(): executors.apply(at).completedTasks() for at in range(executors.size())}
tasks.pop("driver")
print(json.dumps({
    "count": count,
    "sum": round(total, 6),
    "withoutTags": without_tags,
    "tasks": list(tasks.values()),
    "stranger": [rows("SHOW NAMESPACES IN stranger"), refusal(f"SELECT count(*) FROM stranger.`{project}`.events")],
    "writes": [
        refusal(f"INSERT INTO {table} SELECT * FROM {table} LIMIT 1"),
        refusal(f"DELETE FROM {table} WHERE id = 'r2'"),
        refusal(f"ALTER TABLE {table} ADD COLUMN more STRING"),
        refusal(f"DROP TABLE {table}"),
        refusal(f"CREATE TABLE {catalog}.`{project}`.more (id STRING)"),
        refusal(f"CREATE NAMESPACE {catalog}.more"),
    ],
}))
spark.stop()
