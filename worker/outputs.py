"""The files a run makes: their names, their media types, and who gets to see them."""

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
MADE = [name for name in OUTPUTS if name.rpartition(".")[2] not in FURTHER]
"""What a run makes itself; everything else is made of its Parquet file."""
