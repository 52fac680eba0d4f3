# The only front door: the same at the desk and in CI. `make help` lists the targets.

BUN_VERSION := $(shell sed -n 's/.*"packageManager": "bun@\(.*\)".*/\1/p' package.json)
BUN := $(shell sh scripts/find-bun.sh $(BUN_VERSION))
export PATH := $(dir $(BUN)):$(CURDIR)/node_modules/.bin:$(PATH)
PREFIX ?= $(HOME)/.local
SOURCES := $(shell find cmd core adapters fixtures/demo -type f 2>/dev/null) package.json scripts/build.ts

.DEFAULT_GOAL := help
.PHONY: help setup build demo check format test contracts smoke bench record docs install clean system-packages

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 20

setup: node_modules/.installed ## Install Bun (when absent) and the packages of the lock file

$(BUN):
	sh scripts/install-bun.sh $(BUN_VERSION)

node_modules/.installed: package.json bun.lock | $(BUN)
	$(BUN) install --frozen-lockfile
	@touch $@

build: dist/buddy ## Compile dist/buddy for this machine

dist/buddy: node_modules/.installed $(SOURCES)
	$(BUN) scripts/build.ts

demo: build ## Build and play the built-in recorded conversation
	dist/buddy demo

check: setup ## Types everywhere, core without the outside world, lint, format, import rule
	tsc -p tsconfig.json
	tsc -p core/tsconfig.json
	biome check .
	$(BUN) test tests/architecture.test.ts

format: setup ## Rewrite the sources in the project's format
	biome check --write .

system-packages:
	@sh scripts/system-packages.sh

test: setup build system-packages ## Every suite, the compiled executable included
	@sh scripts/test.sh $(BUN)

contracts: setup build ## The port contract suites only
	$(BUN) test tests/contracts

smoke: build ## The executable starts and plays the demo
	dist/buddy --version
	dist/buddy demo --fast </dev/null >/dev/null

bench: build ## Ratios against floors and installed peers: table and dist/bench.json
	$(BUN) bench/run.ts

record: build ## Make the demo's recording anew
	$(BUN) scripts/record-demo.ts

docs: setup ## Write docs/events.md and docs/buddy.1 from their definitions
	$(BUN) scripts/events-doc.ts
	$(BUN) scripts/man-page.ts

install: build ## Install executable, manual page and completions to PREFIX (default ~/.local)
	install -d $(PREFIX)/bin
	install -m 755 dist/buddy $(PREFIX)/bin/buddy
	install -d $(PREFIX)/share/man/man1 $(PREFIX)/share/bash-completion/completions
	install -d $(PREFIX)/share/zsh/site-functions $(PREFIX)/share/fish/vendor_completions.d
	install -m 644 docs/buddy.1 $(PREFIX)/share/man/man1/buddy.1
	dist/buddy completion bash > $(PREFIX)/share/bash-completion/completions/buddy
	dist/buddy completion zsh > $(PREFIX)/share/zsh/site-functions/_buddy
	dist/buddy completion fish > $(PREFIX)/share/fish/vendor_completions.d/buddy.fish

clean: ## Remove what was built
	rm -rf dist
