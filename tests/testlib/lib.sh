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
