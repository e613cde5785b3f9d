// SPDX-License-Identifier: Apache-2.0

package image

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// directories are the directories of libraries, in search order (ld.so(8)), without those of a configuration.
func searched() []string {
	return []string{"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"}
}

// libraries are the files of a root file system that a program loads at its start, by the paths at which it looks for them: its interpreter,
// and shared libraries with those that they need. A static program, or a script, has none.
func libraries(root, program string) (map[string]string, error) {
	out := map[string]string{}
	todo := []string{program}
	for len(todo) > 0 {
		file := todo[0]
		todo = todo[1:]
		needed, interpreter, err := needs(file)
		if err != nil {
			return nil, fmt.Errorf("libraries of %s: %w", program, err)
		}
		if interpreter != "" {
			if out[interpreter], err = within(root, interpreter); err != nil {
				return nil, fmt.Errorf("interpreter of %s: %w", program, err)
			}
		}
		for _, name := range needed {
			found, there, err := find(root, name)
			if err != nil {
				return nil, fmt.Errorf("libraries of %s: %w", program, err)
			}
			if _, known := out[found]; !known {
				out[found] = there
				todo = append(todo, there)
			}
		}
	}
	return out, nil
}

// needs returns the libraries that a file names, and its interpreter.
func needs(file string) (names []string, interpreter string, err error) {
	f, err := elf.Open(file)
	if _, ok := errors.AsType[*elf.FormatError](err); ok {
		return nil, "", nil // a script
	}
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		text := make([]byte, p.Filesz)
		if _, err := p.ReadAt(text, 0); err != nil {
			return nil, "", err
		}
		interpreter = string(text[:max(0, len(text)-1)]) // it ends with a zero
	}
	if names, err = f.ImportedLibraries(); err != nil {
		return nil, interpreter, nil // no dynamic section
	}
	return names, interpreter, nil
}

// Static returns an error for a program that needs an interpreter or libraries, for an image without any.
func Static(program string) error {
	f, err := elf.Open(program)
	if err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			return fmt.Errorf("%s needs libraries, of which there are none where it goes: build it with CGO_ENABLED=0", program)
		}
	}
	return nil
}

// find returns the path of a library in a root file system, and the file.
func find(root, library string) (path, file string, err error) {
	for _, dir := range searched() {
		path := filepath.Join(dir, library)
		if file, err := within(root, path); err == nil {
			return path, file, nil
		}
	}
	return "", "", fmt.Errorf("%s is in none of %v", library, searched())
}

// maxLinks bounds the symbolic links of one path, as the kernel does (path_resolution(7)).
const maxLinks = 40

// within returns the file of a path in a root file system, whose symbolic links lead to its own files.
func within(root, path string) (string, error) {
	if root == "/" {
		_, err := os.Stat(path)
		return path, err
	}
	for range maxLinks {
		file := filepath.Join(root, path)
		info, err := os.Lstat(file)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			return file, err
		}
		to, err := os.Readlink(file)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = filepath.Join("/", to)
	}
	return "", fmt.Errorf("%s in %s: too many symbolic links", path, root)
}
