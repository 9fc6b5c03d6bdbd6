package main

import (
	"debug/buildinfo"
	"os"
	"testing"
)

// TestDocument lists the modules of this test binary.
func TestDocument(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	bom, err := document(info, "1000000000")
	if err != nil {
		t.Fatal(err)
	}
	if got := bom.Metadata.Timestamp; got != "2001-09-09T01:46:40Z" {
		t.Errorf("the time is %s", got)
	}
	found := map[string]bool{}
	for _, c := range *bom.Components {
		if c.Version == "" || c.PackageURL != "pkg:golang/"+c.Name+"@"+c.Version {
			t.Errorf("component %+v", c)
		}
		found[c.Name] = true
	}
	if len(found) != len(info.Deps)+1 || !found["std"] || !found["github.com/CycloneDX/cyclonedx-go"] {
		t.Errorf("%d components of %d modules: %v", len(found), len(info.Deps), found)
	}
	if _, err := document(info, "yesterday"); err == nil {
		t.Error("SOURCE_DATE_EPOCH=yesterday is accepted")
	}
}
