package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLookPlay uses a command on the page Play and finds it on the page Traffic. The tests in e2e look at all pages.
func TestLookPlay(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	p := start(t, "dev", "--listen", "127.0.0.1:0")
	b.open(p.Base)
	b.see("body", "Connected")
	b.write(".picker textarea", "/bell")
	b.see("[role=listbox]:not([hidden]) [role=option]", "/bell")
	b.enter()
	b.see(".message", "The bell is on the desk.")
	b.open(p.Base + "/#/traffic")
	b.see("[role=listbox][aria-label=Traffic] [role=option]", "/bell")
	b.check()
}

// TestLookSignIn signs in as the operator, after an attempt with a wrong token.
func TestLookSignIn(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	data := t.TempDir()
	p := start(t, "serve", "--data", data, "--listen", "127.0.0.1:0")
	b.open(p.Base)
	b.write("input[type=password]", "wrong")
	b.click("button", "Sign in")
	b.wait("document.querySelector('[role=alert]')?.textContent.length > 0")
	token, err := os.ReadFile(filepath.Join(data, "operator-token"))
	if err != nil {
		t.Fatal(err)
	}
	b.write("input[type=password]", strings.TrimSpace(string(token)))
	b.click("button", "Sign in")
	b.see("button", "Sign out")
	b.check()
}
