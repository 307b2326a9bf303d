# Everything that a fresh Debian or Ubuntu with python3, python3-venv, make and
# gcc lacks is installed under $(BUILD), and removed by `make clean`.

PYTHON = python3
BUILD = build
PORT = 8000
REPO =
ARGS =
# --strict: a version that this machine can't have is a failure.
STRICT =

metadata = $(shell $(PYTHON) -c 'exec(open("hgext3rd/wirecomp/metadata.py").read()); print($(1).decode())')
VERSIONS = $(call metadata,testedwith)
NEWEST = $(lastword $(VERSIONS))
LIB = tests/testlib

.PHONY: help demo serve tests check bench install clean
.DEFAULT_GOAL := help

help:
	@echo 'make demo     serve a repository and clone it as each kind of client; REPO= takes yours'
	@echo 'make serve    serve REPO= at PORT= (default 8000) with wirecomp, until Ctrl-C'
	@echo 'make tests    all tests, on each Mercurial of VERSIONS='
	@echo '              (default: $(VERSIONS))'
	@echo 'make check    style'
	@echo 'make bench    what it saves, on three made repositories or on REPO='
	@echo 'make install  into the environment of PYTHON= (default python3), with pip'
	@echo 'make clean    remove $(BUILD)/'

$(BUILD)/hg-%/.complete:
	@$(PYTHON) $(LIB)/hgenv.py $(BUILD) $*

demo: $(BUILD)/hg-$(NEWEST)/.complete
	@$(BUILD)/hg-$(NEWEST)/bin/python $(LIB)/demo.py $(BUILD) $(NEWEST) '$(REPO)'

serve: $(BUILD)/hg-$(NEWEST)/.complete
	@test -n '$(REPO)' || { echo 'which repository? make serve REPO=path'; exit 2; }
	PYTHONPATH=$(CURDIR) $(BUILD)/hg-$(NEWEST)/bin/hg serve -R '$(REPO)' \
	    --port $(PORT) --config extensions.wirecomp= $(ARGS)

bench: $(BUILD)/hg-$(NEWEST)/.complete
	@PYTHONPATH=$(CURDIR) $(BUILD)/hg-$(NEWEST)/bin/python $(LIB)/bench.py $(BUILD) $(NEWEST) '$(REPO)'
	@test -n '$(REPO)' || PYTHONPATH=$(CURDIR) $(BUILD)/hg-$(NEWEST)/bin/python $(LIB)/benchclient.py $(BUILD) $(NEWEST)

tests:
	@$(PYTHON) $(LIB)/suite.py $(STRICT) $(BUILD) $(VERSIONS)

$(BUILD)/check/.complete:
	@$(PYTHON) -m venv $(BUILD)/check
	@$(BUILD)/check/bin/python -m pip install -q ruff==0.17.6 docutils
	@touch $@

check: $(BUILD)/check/.complete
	$(BUILD)/check/bin/ruff check --no-cache .
	$(BUILD)/check/bin/ruff format --no-cache --check .
	$(BUILD)/check/bin/docutils --report=1 --halt=2 README.rst > /dev/null
	$(BUILD)/check/bin/docutils --report=1 --halt=2 CHANGES.rst > /dev/null

install:
	@$(PYTHON) -c 'import mercurial' || { echo "$(PYTHON) has no Mercurial: see Installing in README.rst"; exit 2; }
	$(PYTHON) -m pip install .

clean:
	rm -rf $(BUILD) *.egg-info
