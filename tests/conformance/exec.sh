#!/bin/sh
# Probes the contract of `buddy exec` from outside: one line for each promise, exit 0 only if all are kept.
#
#   BUDDY=/usr/bin/buddy sh tests/conformance/exec.sh
#
# Needs no network and no key: the model's part is played from recordings that are written here. Everything happens
# in a directory below TMPDIR that is removed at the end.
set -u
BUDDY=${BUDDY:-buddy}
work=$(mktemp -d "${TMPDIR:-/tmp}/buddy-conformance.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
count=0
broken=0

promise() { # words, then 0 or 1
  count=$((count + 1))
  if [ "$2" = 0 ]; then echo "ok $count - $1"; else
    broken=$((broken + 1))
    echo "not ok $count - $1 (code ${code:-?}, stdout: $(head -c 200 out | tr '\n' '~'), stderr: $(head -c 300 err | tr '\n' '~'))"
  fi
}
# is WORDS TEST…: the promise is kept when the test holds
is() { words=$1; shift; if "$@"; then promise "$words" 0; else promise "$words" 1; fi; }
has() { grep -q -e "$2" "$1"; }
hasnt() { ! grep -q -e "$2" "$1"; }
text() { [ "$(cat "$1")" = "$2" ]; }
both() { [ "$1" = "$2" ] && shift 2 && "$@"; }

# --- recordings: what the model is to say -------------------------------------------------------
begin() { echo '{"type":"recording","v":1,"buddy":"conformance"}' > "$1"; }
asked() { # file, prompt (checked when a replay is strict)
  printf '{"type":"request","mark":{"model":"m","tools":[],"last":{"role":"user","text":"%s"}},"digest":""}\n' "$2" >> "$1"
}
replied() { # file, finish, message
  printf '{"type":"event","at_ms":0,"event":{"type":"replied","reply":{"message":%s,"finish":"%s","usage":{"input_tokens":100,"output_tokens":20,"cached_tokens":0,"reasoning_tokens":0,"total_tokens":120}}}}\n' "$3" "$2" >> "$1"
}
says() { # file, text, prompt
  asked "$1" "${3:-}"
  replied "$1" stop "{\"role\":\"assistant\",\"content\":\"$2\",\"tool_calls\":[]}"
}
runs() { # file, id, command, text before it
  asked "$1" ""
  replied "$1" tool_calls "{\"role\":\"assistant\",\"content\":\"${4:-}\",\"tool_calls\":[{\"id\":\"$2\",\"name\":\"run_shell\",\"arguments\":\"{\\\"command\\\":\\\"$3\\\",\\\"risk\\\":\\\"low\\\",\\\"mutation\\\":false,\\\"privesc\\\":false,\\\"why\\\":\\\"test\\\"}\"}]}"
}
fails() { # file, class
  asked "$1" ""
  printf '{"type":"event","at_ms":0,"event":{"type":"failed","failure":{"class":"%s","message":"as recorded"}}}\n' "$2" >> "$1"
}

printf '[models.m]\napi_base_url = "http://127.0.0.1:9/v1"\n' > buddy-test.toml
begin one; says one "the answer"
begin tool; runs tool c1 "echo noise; echo more >&2" "let me look"; says tool "the answer"
begin sleeper; runs sleeper c1 "echo \$\$ > pid; exec sleep 60"; says sleeper "never"
begin endless; runs endless c1 "echo 1"; says endless "so far"
begin auth; fails auth auth
begin model; fails model model
begin context; fails context context; fails context context
begin wrong; says wrong no; says wrong no; says wrong no
begin document; says document no; says document '{\"n\": 3}'
printf '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}' > schema.json
printf '{"requird":["n"]}' > typo.json

# buddy exec with these flags; stdout in out, stderr in err, the exit code in $code
exec_with() { "$BUDDY" exec --config buddy-test.toml "$@" > out 2> err < /dev/null; code=$?; }
replay() { recording=$1; shift; exec_with --replay "$recording" --replay-loose "$@"; }

# --- the answer ---------------------------------------------------------------------------------
replay one hi
is "an answer is exit 0" [ "$code" = 0 ]
is "stdout is the answer and one newline" [ "$(od -An -c out | tr -d ' \n')" = 'theanswer\n' ]
replay tool --approve all hi
is "a run with tools prints the final answer only" both "$code" 0 text out "the answer"
is "tool calls are told on stderr" has err run_shell
is "no control codes go into a pipe" hasnt err "$(printf '\033')"
x=$("$BUDDY" exec --config buddy-test.toml --replay tool --replay-loose --approve all hi 2> err < /dev/null)
is "x=\$(buddy exec …) holds the final answer only" [ "$x" = "the answer" ]
replay tool --approve all --quiet hi
is "--quiet leaves stderr empty" both "$(wc -c < err | tr -d ' ')" 0 text out "the answer"
replay one -o last.txt hi
is "-o writes the answer to a file" text last.txt "the answer"

# --- the prompt and standard input --------------------------------------------------------------
strict() { # wanted prompt, then the command on stdin's other side
  begin strict; says strict fine "$1"
}
strict 'two words'; exec_with --no-tools --replay strict two words
is "the prompt is the arguments joined by spaces" both "$code" 0 text out fine
strict 'say\n\n<stdin>\ndata\n</stdin>'
printf data | "$BUDDY" exec --config buddy-test.toml --no-tools --replay strict say > out 2> err; code=$?
is "piped input is attached behind the prompt" both "$code" 0 text out fine
strict 'from stdin'
printf 'from stdin' | "$BUDDY" exec --config buddy-test.toml --no-tools --replay strict - > out 2> err; code=$?
is "- reads the prompt from stdin" both "$code" 0 text out fine
strict say
printf data | "$BUDDY" exec --config buddy-test.toml --no-tools --stdin ignore --replay strict say > out 2> err; code=$?
is "--stdin ignore never reads" both "$code" 0 text out fine
strict '--timeout'; exec_with --no-tools --replay strict -- --timeout
is "-- ends flags" both "$code" 0 text out fine
mkfifo silent
( exec 3<> silent; "$BUDDY" exec --config buddy-test.toml --replay one --replay-loose hi < silent > out 2> err; echo $? > code )
code=$(cat code)
is "a stdin that is open and silent does not hang a run" both "$code" 0 text out "the answer"
is "and is told" has err "open but silent"
exec_with ""
is "an empty prompt is a usage error" [ "$code" = 2 ]

# --- mistakes -----------------------------------------------------------------------------------
exec_with --timout 5 hi
is "an unknown flag is exit 2 and names the nearest" both "$code" 2 has err '"--timeout"'
is "an error is one line: buddy: what, then hint:" both "$(grep -c '^buddy: ' err)$(grep -c '^hint: ' err)" 11 text out ""
"$BUDDY" exce hi > out 2> err < /dev/null; code=$?
is "an unknown command is exit 2 and names the nearest" both "$code" 2 has err '"exec"'
replay one --timeout=30s hi
is "--flag=value works" [ "$code" = 0 ]
replay one --timeout soon hi
is "a wrong value is exit 2" both "$code" 2 text out ""
exec_with --config nowhere.toml hi 2> /dev/null
is "a flag given twice is exit 2" [ "$code" = 2 ]
replay one --output-schema typo.json hi
is "a schema with an unknown keyword is exit 2" both "$code" 2 has err required

# --- exit codes, the same in every format -------------------------------------------------------
same() { # words, wanted code, class, recording, flags…
  label=$1; wanted=$2; class=$3; recording=$4; shift 4
  replay "$recording" "$@" hi
  is "$label is exit $wanted" [ "$code" = "$wanted" ]
  replay "$recording" --output-format json "$@" hi
  is "$label in json" both "$code" "$wanted" has out "\"exit_code\":$wanted,"
  is "$label in json is one line" [ "$(wc -l < out | tr -d ' ')" = 1 ]
  [ "$class" = none ] || is "$label in json has its class" has out "\"error\":{\"class\":\"$class\""
  replay "$recording" --json "$@" hi
  is "$label in stream-json" both "$code" "$wanted" has out "\"exit_code\":$wanted,"
  head -n 1 out > first; tail -n 1 out > last
  is "$label in stream-json begins and ends in order" has first '"seq":1,.*"type":"started"'
  is "$label in stream-json ends with the report" has last '"type":"stopped","report":{"session_id"'
}
same "an answer" 0 none one
same "a usage error" 2 usage one --timeout soon
same "a refused credential" 3 auth auth
same "an approval that policy refuses" 4 approval tool --approve none
same "a denial under --on-deny fail" 4 approval tool --approve none --on-deny fail
same "a failed endpoint" 5 model model
same "the limit of --max-iterations" 6 limit endless --approve all --max-iterations 1
same "the limit of --max-tokens-total" 6 limit endless --approve all --max-tokens-total 100
same "the limit of --timeout" 6 limit sleeper --approve all --timeout 300ms
same "a context that cannot fit" 7 context context
"$BUDDY" help exec > out 2> err
if has out '--container NAME'; then
  same "a target that is not there" 8 target one --container buddy-conformance-is-not-there
fi
same "a document of another shape" 9 schema wrong --output-schema schema.json
replay endless --approve all --max-iterations 1 hi
is "a limit ends a run with one last answer" both "$code" 6 text out "so far"
replay document --output-schema schema.json hi
is "--output-schema has an answer repaired and prints exactly the document" both "$code" 0 text out '{"n": 3}'
replay wrong --output-schema schema.json hi
is "a document that is none is not printed" text out ""
replay tool --approve none --output-format json hi
is "denials are listed" has out '"denials":\[{"tool":"run_shell"'
exec_with --json --nonsense hi
is "a command line that is wrong is told in JSON too" both "$code" 2 has out '"exit_code":2,'

# --- streams and signals ------------------------------------------------------------------------
{ "$BUDDY" exec --config buddy-test.toml --replay tool --replay-loose --approve all hi 2> err < /dev/null; echo $? > code; } | true
code=$(cat code)
is "a reader that is gone is a quiet exit" hasnt err 'EPIPE'
is "with code 0 or 141" [ "$code" = 0 -o "$code" = 141 ]
"$BUDDY" exec --config buddy-test.toml --replay tool --replay-loose --approve all hi > out 2> err <&-; code=$?
is "without a standard input" both "$code" 0 text out "the answer"
"$BUDDY" exec --config buddy-test.toml --replay tool --replay-loose --approve all hi 2> err < /dev/null >&-; code=$?
is "without a standard output" [ "$code" = 0 ]
"$BUDDY" exec --config buddy-test.toml --replay tool --replay-loose --approve all hi > out < /dev/null 2>&-; code=$?
is "without a standard error" both "$code" 0 text out "the answer"
if [ -c /dev/full ]; then
  "$BUDDY" exec --config buddy-test.toml --replay one --replay-loose hi > /dev/full 2> err < /dev/null; code=$?
  is "an answer that cannot be written is a failure that is told" both "$code" 1 has err '^buddy: '
fi
signalled() { # signal, wanted code
  rm -f pid
  "$BUDDY" exec --config buddy-test.toml --replay sleeper --replay-loose --approve all hi > out 2> err < /dev/null &
  buddy=$!
  tries=0
  while [ ! -s pid ] && kill -0 "$buddy" 2> /dev/null && [ "$tries" -lt 500 ]; do tries=$((tries + 1)); sleep 0.02; done
  kill "-$1" "$buddy" 2> /dev/null
  wait "$buddy"; code=$?
  is "SIG$1 is exit $2" both "$code" "$2" text out ""
  tries=0
  while [ -s pid ] && kill -0 "$(cat pid)" 2> /dev/null && [ "$tries" -lt 150 ]; do tries=$((tries + 1)); sleep 0.02; done
  if [ ! -s pid ] || kill -0 "$(cat pid)" 2> /dev/null; then left=1; else left=0; fi
  promise "SIG$1 leaves nothing running" "$left"
}
signalled INT 130
signalled TERM 143

# --- surroundings -------------------------------------------------------------------------------
env -i "$BUDDY" exec --config buddy-test.toml --replay one --replay-loose hi > out 2> err < /dev/null; code=$?
is "an empty environment is enough" both "$code" 0 text out "the answer"
replay one -c --output-format json hi
is "--continue goes on with the latest session" both "$code" 0 has out '"session_id":"'
mkdir bare; cp one buddy-test.toml bare; cd bare || exit 1
"$BUDDY" exec --config buddy-test.toml --replay one --replay-loose --no-session hi > ../out 2> ../err < /dev/null; code=$?
cd .. || exit 1
is "--no-session leaves nothing" both "$code" 0 [ ! -e bare/.buddyx ]
"$BUDDY" --version > out 2> err; code=$?
is "--version is one line and exit 0" both "$code" 0 [ "$(wc -l < out | tr -d ' ')" = 1 ]
"$BUDDY" help exec > out 2> err; code=$?
is "help has examples" both "$code" 0 has out '^Examples:'

echo "1..$count"
[ "$broken" = 0 ]
