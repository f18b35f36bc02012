"""The ingest of 2021-2025 on one raw stats file, without its database: CHECKOUT FILE. What it would
insert comes as JSON: by type and event, unit and rows of time, value, delta and rate."""

import json
import os
import sys
import types

checkout, path = sys.argv[1:]
tables = {}


def module(name, **members):
    made = sys.modules[name] = types.ModuleType(name)
    made.__dict__.update(members)
    return made


class Connection:
    def commit(self):
        pass

    rollback = close = commit


class Copy:
    def __init__(self, _connection, table, columns):
        self.table, self.columns = table, list(columns)

    def copy(self, rows):
        tables[self.table] = [dict(zip(self.columns, row)) for row in rows]


module("psycopg2", connect=lambda _: Connection())
module("pgcopy", CopyManager=Copy)
for name in ("hpcperfstats", "hpcperfstats.analysis", "hpcperfstats.analysis.gen"):
    module(name)
nothing = __import__("pandas").DataFrame({"time": []})
module("hpcperfstats.analysis.gen.utils", read_sql=lambda *_: nothing)
module("hpcperfstats.conf_parser", get_daily_archive_dir_path=str, get_db_connection_string=str)
sys.modules["hpcperfstats"].conf_parser = sys.modules["hpcperfstats.conf_parser"]

source = open(os.path.join(checkout, "hpcperfstats/dbload/sync_timedb.py")).read()
ingest = {"__name__": "ingest"}
stdout, sys.stdout = sys.stdout, sys.stderr
exec(compile(source, "sync_timedb.py", "exec"), ingest)
ingest["add_stats_file_to_db"]((path, []))
sys.stdout = stdout

series = {}
for row in tables.get("host_data", []):
    events = series.setdefault(row["type"], {})
    one = events.setdefault(row["event"], {"unit": row["unit"], "rows": []})
    one["rows"].append([row["time"].timestamp(), row["value"], row["delta"], row["arc"]])
json.dump(series, sys.stdout)
