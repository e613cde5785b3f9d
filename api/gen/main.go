// SPDX-License-Identifier: Apache-2.0

// Gen turns api/schema, api/common.yaml, api/routes.yaml and api/findings.yaml into the generated parts of the project: the types of api/model, the accessors of
// api/client, api/openapi.yaml, the reference of the kinds in docs/reference and the tables of docs/findings.md. It writes a file only when its
// content changes.
//
//	go run ./api/gen -root .          # write
//	go run ./api/gen -root . -check   # fail when something is not up to date
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

func run(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("gen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	root := flags.String("root", ".", "root of the repository")
	check := flags.Bool("check", false, "write nothing; fail when a generated file is not up to date")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	stale, err := generate(*root, *check)
	if err != nil {
		fmt.Fprintln(stderr, "gen:", err)
		return 1
	}
	if *check && len(stale) > 0 {
		for _, path := range stale {
			fmt.Fprintf(stderr, "gen: %s is not up to date: run make generate and commit the result\n", path)
		}
		return 1
	}
	return 0
}

// generate produces all files; it returns the paths whose content differs from what is on disk.
func generate(root string, check bool) (stale []string, err error) {
	common, err := loadCommon(filepath.Join(root, "api/common.yaml"))
	if err != nil {
		return nil, err
	}
	kinds, err := load(filepath.Join(root, "api/schema"), common)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, k := range kinds {
		if files["api/model/"+k.File()+"_gen.go"], err = render(typeTemplate, k); err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
	}
	if files["api/model/kinds_gen.go"], err = render(kindsTemplate, kinds); err != nil {
		return nil, err
	}
	if files["api/client/kinds_gen.go"], err = render(clientTemplate, kinds); err != nil {
		return nil, err
	}
	routes, err := loadRoutes(filepath.Join(root, "api/routes.yaml"))
	if err != nil {
		return nil, err
	}
	types, err := readTypes(map[string]string{"": filepath.Join(root, "api/model"), "record.": filepath.Join(root, "daemon/record")})
	if err != nil {
		return nil, err
	}
	if err := listings(files, filepath.Join(root, "api/schema/listings"), types); err != nil {
		return nil, err
	}
	document, described, err := openAPI(kinds, routes, types)
	if err != nil {
		return nil, err
	}
	files["api/openapi.yaml"] = document
	if files["api/routes_gen.go"], err = render(routesTemplate, struct{ All, Open []string }{described, open(routes)}); err != nil {
		return nil, err
	}
	if err := reference(files, kinds); err != nil {
		return nil, err
	}
	if err := findings(files, root); err != nil {
		return nil, err
	}
	paths := make([]string, 0, len(files))
	for path := range files {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	for _, path := range paths {
		full := filepath.Join(root, path)
		have, err := os.ReadFile(full)
		if err == nil && bytes.Equal(have, files[path]) {
			continue
		}
		stale = append(stale, path)
		if check {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(full, files[path], 0o644); err != nil {
			return nil, err
		}
	}
	return stale, nil
}
