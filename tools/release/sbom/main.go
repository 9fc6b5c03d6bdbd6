// Command sbom lists the modules inside of a Go binary as a CycloneDX document.
//
//	sbom BINARY DOCUMENT
//
// The time of the document is SOURCE_DATE_EPOCH, in seconds. Without it the document has no time, so that the same binary
// always gives the same document.
package main

import (
	"cmp"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if err := run(os.Args[1:], os.Getenv("SOURCE_DATE_EPOCH")); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string, epoch string) (err error) {
	if len(args) != 2 {
		return errors.New("usage: sbom BINARY DOCUMENT")
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return err
	}
	bom, err := document(info, epoch)
	if err != nil {
		return err
	}
	file, err := os.Create(args[1])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return cyclonedx.NewBOMEncoder(file, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cyclonedx.SpecVersion1_5)
}

// document returns the modules of a binary, the standard library first.
func document(info *debug.BuildInfo, epoch string) (*cyclonedx.BOM, error) {
	version := cmp.Or(linkedVersion(info), info.Main.Version)
	program := component(info.Main.Path, version)
	program.Type = cyclonedx.ComponentTypeApplication
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Component: &program}
	if epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
		}
		bom.Metadata.Timestamp = time.Unix(seconds, 0).UTC().Format(time.RFC3339)
	}
	list := []cyclonedx.Component{component("std", strings.TrimPrefix(info.GoVersion, "go"))}
	refs := []string{list[0].BOMRef}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, component(m.Path, m.Version))
		refs = append(refs, list[len(list)-1].BOMRef)
	}
	bom.Components = &list
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: program.BOMRef, Dependencies: &refs}}
	return bom, nil
}

func component(path, version string) cyclonedx.Component {
	url := "pkg:golang/" + path + "@" + version
	return cyclonedx.Component{Type: cyclonedx.ComponentTypeLibrary, BOMRef: url, Name: path, Version: version, PackageURL: url}
}

// linkedVersion returns the version that the linker has set in the program, or "".
func linkedVersion(info *debug.BuildInfo) string {
	for _, s := range info.Settings {
		if s.Key == "-ldflags" {
			_, rest, _ := strings.Cut(s.Value, "main.version=")
			version, _, _ := strings.Cut(rest, " ")
			return version
		}
	}
	return ""
}
