# Node is taken from the build stage, so that it stands at one path whatever the run stage is made of.
ARG BUILD_BASE=node:24-bookworm-slim
ARG RUN_BASE=gcr.io/distroless/cc-debian12

FROM ${BUILD_BASE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
COPY tools tools
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund
RUN cp "$(command -v node)" /build/node

FROM ${RUN_BASE}
WORKDIR /app
COPY --from=build /build/node /usr/local/bin/node
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY package.json openapi.yaml LICENSE ./
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
# By number: Kubernetes' runAsNonRoot cannot look names up. Nothing is written, so that the root may be read-only.
USER 65532:65532
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["/usr/local/bin/node", "/app/dist/src/main.js", "health"]
ENTRYPOINT ["/usr/local/bin/node", "/app/dist/src/main.js"]
CMD ["serve"]
