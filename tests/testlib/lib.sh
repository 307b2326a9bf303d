# Read by the .t files: `. "$TESTDIR/testlib/lib.sh"`

wireget() {
    "$PYTHON" "$TESTDIR/testlib/wireget.py" "$HGPORT" "$@"
}

# serve [options]: start hg serve at $HGPORT, in the background
serve() {
    rm -f "$TESTTMP/hg.pid"
    hg serve -d -p "$HGPORT" --pid-file "$TESTTMP/hg.pid" \
        -A "$TESTTMP/access.log" -E "$TESTTMP/errors.log" "$@" || return $?
    cat "$TESTTMP/hg.pid" >> "$DAEMON_PIDS"
}

# stop: stop the server again
stop() {
    "$PYTHON" "$RUNTESTDIR/killdaemons.py" "$DAEMON_PIDS"
    : > "$DAEMON_PIDS"
}

# errors: what the server's error log holds, without addresses and dates
errors() {
    sed 's/^127.0.0.1 - - \[[^]]*\] //' "$TESTTMP/errors.log"
}

# foreign FILE, native FILE: give a file to another user, or take it back.
# Root really does; others can only let the extension foreign.py say so.
if [ "$(id -u)" = 0 ]; then
    foreign() { chown 65534 "$1"; }
    native() { chown 0 "$1"; }
else
    foreign() { touch "$1.foreign"; }
    native() { rm "$1.foreign"; }
fi

# faultrepo: make a repository of some MB, whose answers fail when told so
faultrepo() {
    hg init repo
    echo small > repo/small
    hg -R repo ci -qAm small
    for n in 1 2 3 4; do
        "$PYTHON" -c "import random; rand = random.Random($n)
for _ in range(10000): print(rand.randbytes(30).hex())" > repo/large$n
        hg -R repo ci -qAm "large $n"
    done
    touch control
    cat > repo/.hg/hgrc <<END
[extensions]
wirecomp =
failing = $TESTDIR/testlib/failing.py
[failing]
file = $TESTTMP/control
[server]
compressionengines = zstd, zlib, bz2, none
[web]
push_ssl = no
allow-push = *
END
}

# faults [options]: let the server fail in all ways
faults() {
    "$PYTHON" "$TESTDIR/testlib/faultmatrix.py" "$HGPORT" \
        "$TESTTMP/control" "$TESTTMP/base" "$@"
}
