# Portico in a container: docker build -t portico .
# With LibreOffice, by which documents become pages: docker build --target libreoffice -t portico .
ARG NODE_IMAGE=node:26-slim@sha256:c0753125a3789977aefe869cbebccf70e3cfd7ea84ca48547458f02e4f1d7146

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# What only an editor or a debugger reads is half of the packages.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

# The packages that build the console are not needed to serve it.
FROM ${NODE_IMAGE} AS console
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY src src
RUN node src/adapters/console/bundler-main.ts > bundle.json

FROM ${NODE_IMAGE} AS portico
# Health and metrics of every role have a port of their own, which is not for the public.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 MANAGEMENT_PORT=9090 DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json ./
COPY demo demo
COPY deploy/create-bucket.mjs deploy/
COPY src src
COPY --from=console /app/bundle.json src/adapters/console/
# A volume that is mounted on DATA_DIR for the first time takes its owner from here.
RUN chmod +x src/composition/main.ts \
 && ln -s /app/src/composition/main.ts /usr/local/bin/portico \
 && install -d -m 0700 -o 1000 -g 1000 /data
# By number, so that an orchestrator can see that it is not root.
USER 1000:1000
EXPOSE 3000 9090
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.MANAGEMENT_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["portico"]
CMD ["serve"]

# What it needs to convert documents of Word and PowerPoint, and fonts as wide as those that such documents are written in.
FROM portico AS libreoffice
USER 0:0
RUN apt-get update \
 && apt-get install --yes --no-install-recommends libreoffice-writer-nogui libreoffice-impress-nogui \
      fonts-crosextra-caladea fonts-crosextra-carlito fonts-dejavu-core fonts-liberation \
 && rm -rf /var/lib/apt/lists/*
USER 1000:1000

# What is built where no target is named.
FROM portico
