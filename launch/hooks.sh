#!/bin/sh
# hooks.json runs this script if the plugin's program, bin/hooks, is missing or fails. If the
# program is missing, the script looks for one of the same version, puts it there and passes the
# event on. If that fails, it blocks a command that would start a loop, because nothing would govern
# the loop, and warns at the start of a session. For every other event the script fails; the line of
# hooks.json that started it then checks whether a loop is active.
set -u
word=$1
root=${CLAUDE_PLUGIN_ROOT:-${0%/launch/*}}
program=$root/bin/hooks
other=
version=$(sed -n 's/.*"version": *"\([^"]*\)".*/\1/p' "$root/.claude-plugin/plugin.json")

# looping succeeds if the payload starts a tick of a loop, for example /ns:work --loop,
# /loop 1m /ns:work --loop, /hooks:go or /loop 1m /hooks:do.
looping() {
    case $1 in
    *'"command_name":"'*) name=${1#*'"command_name":"'} ;;
    *'"skill":"'*) name=${1#*'"skill":"'} ;;
    *) return 1 ;;
    esac
    name=${name%%'"'*}
    name=${name#/}
    case $name in
    sdd:go | sdd:start | sdd:audit) return 0 ;;
    hooks:go | hooks:start | hooks:audit | hooks:do) return 0 ;;
    esac
    case ${name##*:} in
    work | review) ;;
    loop)
        case $1 in */hooks:do\ *) return 0 ;; esac
        case $1 in */work\ * | */review\ * | *:work\ * | *:review\ *) ;; *) return 1 ;; esac ;;
    *) return 1 ;;
    esac
    case $1 in
    *--loop[\ \"=\\]*) return 0 ;;
    esac
    return 1
}

# find sets found to a program of the plugin's own version, or fails if there is none.
find() {
    case $(uname -s) in
    Linux) os=linux exe= ;;
    Darwin) os=darwin exe= ;;
    *) os=windows exe=.exe ;;
    esac
    case $(uname -m) in
    x86_64 | amd64) arch=amd64 ;;
    *) arch=arm64 ;;
    esac
    program=$root/bin/hooks$exe
    for found in "$root/bin/hooks_${os}_$arch$exe" "${CLAUDE_PLUGIN_DATA:-/none}/bin/hooks$exe" \
        "${HOME:-/none}/.local/bin/hooks$exe" "/usr/local/bin/hooks$exe"; do
        [ -x "$found" ] && [ ! -d "$found" ] || continue
        said=$("$found" version </dev/null 2>/dev/null) || continue
        case $said in
        "hooks $version "*) return 0 ;;
        "hooks "[0-9]*) other=" ($found is another version)" ;;
        esac
    done
    found=
    return 1
}

# place puts the program where hooks.json looks for it. A link, unlike a copy, follows updates.
place() {
    mkdir -p "$root/bin" || return 1
    if [ "$os" = windows ]; then
        cp "$found" "$program.$$" || return 1
    else
        ln -s "$found" "$program.$$" || return 1
    fi
    mv -f "$program.$$" "$program"
}

quoted() { printf %s "$1" | sed 's/[\\"]/\\&/g'; }

refuse() {
    if [ -f "$root/scripts/install.sh" ]; then
        way="in a terminal, run \`sh '$root/scripts/install.sh'\`"
    else
        way="install hooks $version as $program"
    fi
    why=$(quoted "the hooks plugin cannot govern a loop, because it has no working program$other")
    way=$(quoted "$way, then start the loop again")
    case $word in
    user-prompt-expansion)
        printf '{"decision":"block","reason":"%s\\nhint: %s"}\n' "$why" "$way" ;;
    pre-tool-use)
        printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
        printf '"permissionDecisionReason":"%s\\nhint: %s"}}\n' "$why" "$way" ;;
    session-start)
        printf '{"systemMessage":"%s\\nhint: %s"}\n' "$why" "$way" ;;
    esac
    exit 0
}

payload=$(head -n 1) # empty if the failed program has already read it
if [ -e "$program" ]; then
    other=" ($program does not start)"
elif find; then
    place 2>/dev/null && exec "$program" "$word" <<EOF
$payload
EOF
    other=" ($found cannot be linked into $root/bin)"
fi
if [ "$word" = session-start ] || looping "$payload"; then refuse; fi
exit 1
