// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/api/model"
)

// Disk is a directory that a daemon writes to.
type Disk struct {
	Dir   string // "": it has none
	Holds string // what it writes there
	Need  uint64 // bytes without which it cannot write
}

// LogNeed is what a daemon needs to append to its log, and to save small files, in bytes.
const LogNeed = 1 << 20

// Reserves of file systems.
const (
	diskEnough  = 5 << 30 // with as many bytes left, a large file system is not low at 80 %
	inodeNeed   = 16
	inodeEnough = 100_000
)

// Space is the use of a file system.
type Space struct {
	Device             uint64 // identifies the file system
	Used, Max          uint64 // bytes, without those that only root may use
	Inodes, InodeLimit uint64 // 0 of 0: the file system has no limit
}

// Disks returns a Source of the bytes and inodes of file systems, each once with all its directories. A directory that cannot be read is
// left out. read is ReadSpace.
func Disks(read func(dir string) (Space, error), disks ...Disk) Source {
	return func() (out []model.Resource) {
		at := map[uint64]int{} // index of the bytes, by device
		for _, d := range disks {
			if d.Dir == "" {
				continue
			}
			s, err := read(d.Dir)
			if err != nil {
				continue
			}
			if i, ok := at[s.Device]; ok {
				for j := i; j < i+2 && j < len(out) && (j == i || out[j].Name == "inodes"); j++ {
					out[j].Of, out[j].Holds = listed(out[j].Of, d.Dir), listed(out[j].Holds, d.Holds)
				}
				out[i].Need = max(out[i].Need, d.Need)
				continue
			}
			at[s.Device] = len(out)
			out = append(out, model.Resource{Name: "disk", Of: d.Dir, Holds: d.Holds, Used: s.Used, Max: s.Max, Need: d.Need, Enough: diskEnough})
			if s.InodeLimit > 0 {
				out = append(out, model.Resource{Name: "inodes", Of: d.Dir, Holds: d.Holds, Used: s.Inodes, Max: s.InodeLimit, Need: inodeNeed, Enough: inodeEnough})
			}
		}
		return out
	}
}

// listed adds an item to a list unless it is there.
func listed(list, item string) string {
	if strings.Contains(", "+list+", ", ", "+item+", ") {
		return list
	}
	return list + ", " + item
}

// ReadSpace returns the use of the file system of a directory. It blocks for the kernel, or for the file system's server.
func ReadSpace(dir string) (out Space, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return out, err
	}
	var d unix.Stat_t
	if err := unix.Stat(dir, &d); err != nil {
		return out, err
	}
	size := uint64(s.Bsize)
	out = Space{Device: d.Dev, Used: (s.Blocks - s.Bfree) * size, Inodes: s.Files - s.Ffree, InodeLimit: s.Files}
	out.Max = out.Used + s.Bavail*size
	return out, nil
}

// LogDir returns the directory of the file to which this process writes its log, or "" if its standard error is no file, as of a unit whose
// log goes to the journal.
func LogDir() string {
	info, err := os.Stderr.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	target, err := os.Readlink("/proc/self/fd/2")
	if err != nil {
		return ""
	}
	return filepath.Dir(strings.TrimSuffix(target, " (deleted)"))
}
