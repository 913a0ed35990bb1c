# One executable on a base that holds little more than a C library: no shell, no package manager, not root.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
# The folder for the data belongs to the user that the service runs as.
RUN npm run build && mkdir /data

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
