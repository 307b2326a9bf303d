# Read by .t files that push, after lib.sh. A server is at $HGPORT, what records
# pushes in front of it at $HGPORT1.

# record [options of recorder.py]: start that
record() {
    "$PYTHON" "$TESTDIR/testlib/recorder.py" "$HGPORT1" "$HGPORT" \
        "$TESTTMP/sent.log" "$@"
}

# sent: show the pushes since the last call
sent() {
    cat "$TESTTMP/sent.log"
    : > "$TESTTMP/sent.log"
}

# ours: hg as a client with wirecomp
ours() {
    hg --config extensions.wirecomp= "$@"
}

# textrepo NAME: make a repository of text
textrepo() {
    hg init "$1"
    for n in 1 2 3 4; do
        "$PYTHON" -c "import random; rand = random.Random($n)
for _ in range(3000): print('a line of text,', rand.randrange(99999))" \
            > "$1/file$n"
        hg -R "$1" ci -qAm "change $n"
    done
}

# same A B: whether two repositories hold the same, and verify
same() {
    for one in "$1" "$2"; do
        hg -R "$one" verify -q || return $?
        hg -R "$one" log -r 'sort(all(), node)' \
            -T '{node} {phase} {branch} {bookmarks}\n' > "$one.content"
    done
    cmp "$1.content" "$2.content" && echo same
}
