# The environment of `make book` and `make test`: docker build -t lift . && docker run --rm -p 8000:8000 lift make serve
FROM python:3.13-slim
RUN apt-get update && apt-get install -y --no-install-recommends make git gcc libc6-dev chromium && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home reader && install -d -o reader /home/reader/lift
USER reader
WORKDIR /home/reader/lift
COPY --chown=reader . .
RUN make .venv/installed
CMD ["make", "book"]
