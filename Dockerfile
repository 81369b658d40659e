# The program alone: to look at a mounted project, or to copy from into the image of a client.
# docs/install.md has its limits. HOOKS is the folder of one platform's unpacked release, or a
# checkout with bin/hooks.
FROM scratch
ARG HOOKS=.
COPY ${HOOKS}/bin/hooks /hooks
COPY LICENSE /LICENSE
WORKDIR /project
USER 65534:65534
ENTRYPOINT ["/hooks"]
