# One image for web and worker; docker-compose.yml starts it twice.
FROM python:3.11-slim
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 STEWARD_DATA=/data
WORKDIR /desk
COPY requirements.txt requirements-site.txt ./
RUN pip install --no-cache-dir --require-hashes -r requirements-site.txt
COPY manage.py ./
COPY stewardapp ./stewardapp
COPY worker ./worker
COPY templates ./templates
COPY static ./static
RUN python -m compileall -q stewardapp worker \
    && useradd --create-home --uid 10001 desk && mkdir -m 0700 /data /keys && chown desk /data /keys
USER desk
VOLUME /data /keys
EXPOSE 8000
ENTRYPOINT ["python", "manage.py"]
CMD ["serve"]
