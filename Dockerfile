# The image of "bellhop serve". "make image" builds the same content without a container engine.
FROM golang:1.26.8@sha256:3c3e25a4da13fd0478eed2df1eb35a0e667094a7124d3993a6a1d30f71c17e79 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev COMMIT= DATE=
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false \
      -ldflags="-s -w -X main.version=$VERSION -X main.commit=$COMMIT -X main.date=$DATE" -o /root/image/usr/bin/bellhop ./cmd/bellhop \
 && mkdir -p /root/image/etc/ssl/certs \
 && cp /etc/ssl/certs/ca-certificates.crt /root/image/etc/ssl/certs/ \
 && printf 'root:x:0:0:root:/:/sbin/nologin\nbellhop:x:65532:65532:bellhop:/data:/sbin/nologin\n' > /root/image/etc/passwd \
 && mkdir -m 1777 /root/image/tmp \
 && mkdir -m 0700 /root/data

# The process writes to /data alone: the root file system can be read-only.
FROM scratch
COPY --from=build /root/image/ /
COPY --from=build --chown=65532:65532 /root/data /data
USER 65532:65532
ENV PATH=/usr/bin BELLHOP_DATA=/data BELLHOP_LISTEN=0.0.0.0:8080
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=10s CMD ["/usr/bin/bellhop", "healthcheck"]
ENTRYPOINT ["/usr/bin/bellhop"]
CMD ["serve"]
