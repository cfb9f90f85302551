# The server of GraphMemix: docs/packaging.md says how to build, start and update it.
FROM python:3.11-slim-bookworm AS build

# What the server reads and offers beside the core; see pyproject.toml for all extras.
ARG EXTRAS=documents,heic,llm,mcp,places,postgres,server,video

WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
# Without pip in the environment: what runs later can install nothing.
RUN python -m venv --without-pip /opt/graphmemix \
    && python -m pip --python /opt/graphmemix/bin/python install --no-cache-dir ".[${EXTRAS}]"


FROM python:3.11-slim-bookworm

RUN groupadd --gid 10001 graphmemix \
    && useradd --uid 10001 --gid graphmemix --no-create-home --home-dir /data graphmemix \
    && install --directory --owner=graphmemix --group=graphmemix --mode=0700 /data
COPY --from=build /opt/graphmemix /opt/graphmemix

# Keys, jobs and files of archives in PostgreSQL go below /data/graphmemix.
ENV PATH=/opt/graphmemix/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    XDG_DATA_HOME=/data \
    XDG_CONFIG_HOME=/data/config

USER 10001:10001
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8765

HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8765/v1/ready', timeout=4)"]

# Others can reach 0.0.0.0, so the server does not start before there is a key:
#   docker run --rm -v graphmemix:/data graphmemix keys create me --grant '*:admin'
ENTRYPOINT ["graphmemix"]
CMD ["serve", "home=/data/archives/home", "--host", "0.0.0.0"]
