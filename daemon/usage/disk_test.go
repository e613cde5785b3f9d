// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/contiv/contiv/api/model"
)

func TestDisks(t *testing.T) {
	spaces := map[string]Space{
		"/store": {Device: 1, Used: 85, Max: 100, Inodes: 3, InodeLimit: 10},
		"/log":   {Device: 1, Used: 85, Max: 100, Inodes: 3, InodeLimit: 10},
		"/run":   {Device: 2, Used: 1, Max: 9},
		"/data":  {Device: 3, Used: 2, Max: 8, Inodes: 1, InodeLimit: 5},
	}
	read := func(dir string) (Space, error) {
		if s, ok := spaces[dir]; ok {
			return s, nil
		}
		return Space{}, fs.ErrNotExist
	}
	got := Disks(read, Disk{}, Disk{"/store", "the store", 80}, Disk{"/gone", "snapshots", 0}, Disk{"/run", "saved records", 4}, Disk{"/log", "logs", 90}, Disk{"/data", "x", 0}, Disk{"/run", "saved records", 4})()
	want := []model.Resource{
		{Name: "disk", Of: "/store, /log", Holds: "the store, logs", Used: 85, Max: 100, Need: 90, Enough: diskEnough},
		{Name: "inodes", Of: "/store, /log", Holds: "the store, logs", Used: 3, Max: 10, Need: inodeNeed, Enough: inodeEnough},
		{Name: "disk", Of: "/run", Holds: "saved records", Used: 1, Max: 9, Need: 4, Enough: diskEnough},
		{Name: "disk", Of: "/data", Holds: "x", Used: 2, Max: 8, Enough: diskEnough},
		{Name: "inodes", Of: "/data", Holds: "x", Used: 1, Max: 5, Need: inodeNeed, Enough: inodeEnough},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A directory is on a file system that has some room, and a directory below it is on the same.
func TestReadSpace(t *testing.T) {
	dir := t.TempDir()
	s, err := ReadSpace(dir)
	if err != nil || s.Used == 0 || s.Used >= s.Max || s.Inodes > s.InodeLimit {
		t.Errorf("got %+v, %v, want some of a file system in use", s, err)
	}
	if _, err := ReadSpace(dir + "/missing"); err == nil {
		t.Error("want an error for a directory that is missing")
	}
}
