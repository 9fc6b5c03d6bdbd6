// Command typecheck checks that packages have no type errors on another system than this one:
//
//	GOOS=windows typecheck [-tests] FOLDER PATTERN...
//
// It reads the packages that these import from source, without the bodies of functions. To compile everything for another system would
// take ten times as long.
package main

import (
	"flag"
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	tests := flag.Bool("tests", false, "check the tests of the packages, too")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "usage: typecheck [-tests] FOLDER PATTERN...")
		os.Exit(2)
	}
	found, err := packages.Load(&packages.Config{
		Dir: flag.Arg(0), Env: append(os.Environ(), "CGO_ENABLED=0"), Tests: *tests,
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes |
			packages.NeedSyntax | packages.NeedTypesSizes,
	}, flag.Args()[1:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "typecheck:", err)
		os.Exit(1)
	}
	if packages.PrintErrors(found) > 0 {
		os.Exit(1)
	}
	fmt.Println(len(found), "packages have no type errors")
}
