# Read by .t files with proxies, after lib.sh. A server is at $HGPORT, a proxy
# in front of it at $HGPORT1.

# front KIND [options of front.py]: start a proxy
front() {
    kind="$1"; shift
    "$PYTHON" "$TESTDIR/testlib/front.py" "$kind" "$HGPORT1" "$HGPORT" "$@"
}

# through [options of wireget.py]: ask through the proxy
through() {
    "$PYTHON" "$TESTDIR/testlib/wireget.py" "$HGPORT1" "$@"
}

# clonethrough [options of hg clone]: clone through the proxy, verify, and show
# the tip; HGCLIENT is the client, by default the hg under test
clonethrough() {
    rm -rf clone
    "${HGCLIENT:-hg}" clone -q -U "http://localhost:$HGPORT1/" clone "$@" ||
        return $?
    "${HGCLIENT:-hg}" -R clone verify -q
    "${HGCLIENT:-hg}" -R clone log -r tip -T '{rev} {desc}\n'
}

# exchange: clone, stream clone, push and pull through the proxy
exchange() {
    url="http://localhost:$HGPORT1/"
    rm -rf clone streamed
    hg clone -q -U --stream "$url" streamed && hg clone -q "$url" clone ||
        return $?
    echo more >> clone/pushed
    hg -R clone ci -qAm "pushed through $kind"
    hg -R clone push -q && hg -R streamed pull -q || return $?
    hg -R clone verify -q
    hg -R streamed verify -q
    hg -R streamed log -r tip -T '{rev} {desc}\n'
}

# refused [options of hg clone]: a clone that must fail and leave nothing
refused() {
    rm -rf clone
    if hg clone -q -U "http://localhost:$HGPORT1/" clone \
        "$@" 2> clone.err
    then
        echo 'it cloned'
        return 1
    fi
    sed -n 's/^abort: .*/aborted/p' clone.err
    grep -q Traceback clone.err && cat clone.err
    test ! -e clone
}

# killedinside [options of hg clone]: kill the server inside of an answer that
# the extension slowsource delays
killedinside() {
    rm -f "$TESTTMP/inside"
    refused "$@" &
    for n in $(seq 300); do
        test -e "$TESTTMP/inside" && break
        sleep 0.1
    done
    kill -9 $(cat "$TESTTMP/hg.pid")
    wait $!
}
