# One image for web and worker; docker-compose.yml starts it twice.
FROM python:3.11.15-slim-bookworm AS packages
# Where packages come from, if not from where pip looks by itself; the image does not remember it.
ARG PIP_INDEX_URL
ARG PIP_FIND_LINKS
ARG PIP_NO_INDEX
COPY requirements.txt requirements-site.txt /
RUN python -m venv /packages \
    && /packages/bin/pip install --no-cache-dir --require-hashes -r /requirements-site.txt

# The programs that copy the database, of the very version that docker-compose.yml starts, with what they load.
FROM postgres:18.3-bookworm AS postgresql
RUN mkdir -p /programs/lib && cp /usr/lib/postgresql/*/bin/pg_dump /usr/lib/postgresql/*/bin/pg_restore /programs/ \
    && ldd /programs/pg_dump /programs/pg_restore | awk '$3 ~ /^\// && $3 !~ /lib(c|m|dl|rt|pthread|resolv)\.so/ {print $3}' \
    | sort -u | xargs cp --target-directory /programs/lib

FROM python:3.11.15-slim-bookworm
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 STEWARD_DATA=/data PATH="/packages/bin:$PATH"
WORKDIR /desk
COPY --from=packages /packages /packages
COPY --from=postgresql /programs /postgresql
RUN for name in pg_dump pg_restore; do printf '#!/bin/sh\nLD_LIBRARY_PATH=/postgresql/lib exec /postgresql/%s "$@"\n' $name \
    >/usr/local/bin/$name && chmod 0755 /usr/local/bin/$name; done
COPY worker ./worker
# Machine code for the processors that `worker/engine/kernels/keeping.py` states, not for the one that builds.
RUN python -m worker.engine.execution.warming
COPY manage.py ./
COPY stewardapp ./stewardapp
COPY templates ./templates
COPY static ./static
COPY docs ./docs
# Volumes begin as these folders are: they belong to the user that web and worker run as.
RUN python -m compileall -q stewardapp worker \
    && useradd --create-home --uid 10001 desk && mkdir -m 0700 /data /keys && chown desk /data /keys
USER desk
VOLUME /data /keys
EXPOSE 8000
ENTRYPOINT ["python", "manage.py"]
CMD ["serve"]
