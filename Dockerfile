# An image for what needs no client: `hooks doctor`, status, explain, cost, history, replay of a
# project that is mounted. It is no place for a loop; docs/install.md says why. HOOKS is the folder
# of one platform's unpacked release, or a checkout with bin/hooks.
FROM scratch
ARG HOOKS=.
COPY ${HOOKS}/bin/hooks /hooks
COPY LICENSE /LICENSE
WORKDIR /project
USER 65534:65534
ENTRYPOINT ["/hooks"]
