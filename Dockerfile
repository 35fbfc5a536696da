FROM node:22-slim AS build
WORKDIR /opt/evalstore
COPY package.json package-lock.json ./
RUN npm ci --include=dev
COPY tsconfig.json build.sh bundle.mjs package.sh ./
COPY grammar grammar
COPY src src
RUN sh package.sh && npm ci --omit=dev

FROM node:22-slim
WORKDIR /opt/evalstore
COPY --from=build /opt/evalstore/package.json ./
COPY --from=build /opt/evalstore/node_modules node_modules
COPY --from=build /opt/evalstore/release release
RUN install -d -o node -g node -m 700 /data
USER node
ENV NODE_ENV=production EVALSTORE_HOST=0.0.0.0 EVALSTORE_DATA_DIR=/data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --start-period=10s CMD ["node", "-e", "fetch('http://127.0.0.1:8000/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["release/evalstore"]
