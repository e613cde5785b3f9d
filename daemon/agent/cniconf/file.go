// SPDX-License-Identifier: Apache-2.0

package cniconf

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// put makes a file hold text, at once or not at all, and reports whether it changed. It replaces an existing file instead of writing to it,
// since a program may be in use.
func put(path string, text []byte, mode fs.FileMode) (changed bool, err error) {
	if same(path, text, mode) {
		return false, nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	if err != nil {
		return false, err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return false, errors.Join(err, os.Remove(f.Name()))
	}
	return true, nil
}

// same reports whether a file holds text already.
func same(path string, text []byte, mode fs.FileMode) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != mode || info.Size() != int64(len(text)) {
		return false
	}
	have, err := os.ReadFile(path)
	return err == nil && bytes.Equal(have, text)
}

// tidy removes temporary files of an agent that was killed while it wrote a file.
func tidy(path string) error {
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"-*"))
	for _, file := range left {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

// withdraw removes a file that still holds text. Another file in its place stays.
func withdraw(path string, text []byte, mode fs.FileMode) (gone bool, err error) {
	if !same(path, text, mode) {
		return false, nil
	}
	if err := os.Remove(path); err != nil {
		return false, fmt.Errorf("%w: remove the file, or pods on this host fail to start without an agent", err)
	}
	return true, nil
}

// Remove removes the configuration of these directories, whatever its content, and then the plugin of that name, with the temporary files
// of a killed agent. A directory that is "" has none of ours; missing files are success.
func Remove(conf, bin, program string) error {
	for _, f := range []struct{ folder, name string }{{conf, File}, {bin, program}} {
		if f.folder == "" || f.name == "" {
			continue
		}
		path := filepath.Join(f.folder, f.name)
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := tidy(path); err != nil {
			return err
		}
	}
	return nil
}
