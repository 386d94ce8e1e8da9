"""The files that runs and questions make: their names, their media types, and who gets to see them."""

CSV, PARQUET = "text/csv", "application/vnd.apache.parquet"
FURTHER = {
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "sav": "application/x-spss-sav",
    "dta": "application/x-stata-dta",
}
FORMATS = {"csv": CSV, "parquet": PARQUET, **FURTHER}
RELEASED = {f"{table}.{suffix}": FORMATS[suffix] for table in ("release", "table") for suffix in FORMATS}
PUBLIC = {**RELEASED, "codebook.md": "text/markdown; charset=utf-8"}
INTERNAL = {"records.csv": CSV, "exact.csv": CSV}
OUTPUTS = {**PUBLIC, **INTERNAL}
ANSWER, TRUE = "answer", "exact.json"
"""The whole answer, by which a takeover knows it; a question's true figures."""
FIRST = ("csv", "parquet")
"""The formats that every run writes; further ones are made of the second."""
REREAD, REPORT = f"release.{FIRST[1]}", "report.json"
"""The file that is read back to measure it afterwards; what an assessment writes."""
BESIDE, HELD_OUT = f"beside.{FIRST[1]}", "held-out.bits"
KEPT = (BESIDE, HELD_OUT)
"""What a run keeps for that and shows nobody: no file of the release, in no manifest, never downloaded."""
MADE = [name for name in OUTPUTS if name.rpartition(".")[2] not in FURTHER]
"""What a run makes itself; everything else is made of its Parquet file."""
