# One executable on a base with little more than a C library: no shell, no package manager, not root.
# The build runs on the machine's own platform, and creates the executable for the platform of the image.
FROM --platform=$BUILDPLATFORM node:22-bookworm-slim AS build
ARG TARGETARCH
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# The folder for the data belongs to the user of the service.
RUN npm run build -- dist/catalogue "bun-linux-$(echo "$TARGETARCH" | sed s/amd64/x64/)" && mkdir /data

FROM gcr.io/distroless/base-debian12:nonroot
COPY --from=build /src/dist/catalogue /usr/local/bin/catalogue
COPY --from=build --chown=nonroot:nonroot /data /data
ENV HOST=0.0.0.0 PORT=3000 DATABASE_URL=sqlite:/data/catalogue.db CATALOGUE_BACKUP_FOLDER=/data/backups
USER nonroot
WORKDIR /data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=6s --start-period=20s CMD ["/usr/local/bin/catalogue", "health"]
ENTRYPOINT ["/usr/local/bin/catalogue"]
CMD ["serve"]
