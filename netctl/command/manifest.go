// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/manifest"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// maxManifest bounds what is read from one file or stream, in bytes.
const maxManifest = 64 << 20

// readManifests reads the objects of files, of the .yaml, .yml and .json files of directories, and of standard input ("-").
func readManifests(f *Factory, paths []string) ([]model.ApplyObject, error) {
	if len(paths) == 0 {
		return nil, term.BadUsage("-f FILE, -f DIRECTORY or -f - is required")
	}
	var out []model.ApplyObject
	for _, path := range paths {
		names := []string{path}
		if info, err := os.Stat(path); path != "-" && err == nil && info.IsDir() {
			if names, err = manifestsIn(path); err != nil {
				return nil, local(err)
			}
		}
		for _, name := range names {
			objects, err := readManifest(f, name)
			if err != nil {
				return nil, err
			}
			out = append(out, objects...)
		}
	}
	if len(out) == 0 {
		return nil, term.Exitf(term.Usage, "no objects in %s", strings.Join(paths, ", "))
	}
	return out, nil
}

func manifestsIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) && !e.IsDir() {
			names = append(names, filepath.Join(folder, e.Name()))
		}
	}
	return names, nil
}

func readManifest(f *Factory, name string) ([]model.ApplyObject, error) {
	var text []byte
	var err error
	if name == "-" {
		text, err = io.ReadAll(io.LimitReader(f.In, maxManifest))
	} else {
		text, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, local(fmt.Errorf("read %s: %w", name, err))
	}
	objects, err := manifest.Parse(text)
	if err != nil {
		return nil, term.Exitf(term.Usage, "%s: %v", name, err)
	}
	return objects, nil
}
