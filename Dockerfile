# Two stages: what builds stays behind, what runs has no package for development and no root.
# The Node of package.json. A name can be pointed at something else overnight, a digest cannot: .ci/digests finds the one of today, see docs/configuration.md.
ARG NODE_IMAGE=node:26.10.0-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build

FROM ${NODE_IMAGE}
# bubblewrap keeps code scorers in their sandbox; without it the worker refuses to run them.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin assay \
  && mkdir --mode=755 /data /sandbox && chown assay /data /sandbox
WORKDIR /app
COPY --from=build --chown=root:root /app/package.json ./
COPY --from=build --chown=root:root /app/dist dist
COPY --from=build --chown=root:root /app/verifier verifier
USER assay
ENV NODE_ENV=production UV_THREADPOOL_SIZE=12 MALLOC_ARENA_MAX=2 ASSAY_HOST=0.0.0.0 ASSAY_DATA_DIR=/data ASSAY_SANDBOX_DIR=/sandbox
VOLUME /data
EXPOSE 8080
# 8081, for operators, is not reached from outside the container: ASSAY_OPS_HOST is 127.0.0.1.
# Liveness: a process that fills a read model for an hour is not to be restarted for it. Gateways go by /readyz.
HEALTHCHECK --interval=5s --timeout=4s --start-period=30s --retries=6 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8081/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=32", "dist/assay.js"]
CMD ["serve"]
