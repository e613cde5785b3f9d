// SPDX-License-Identifier: Apache-2.0

// Package member identifies the member of an embedded store that owns a directory, by its log and by a marker beside the directory.
package member

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	"go.etcd.io/etcd/server/v3/storage/datadir"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"google.golang.org/protobuf/proto"

	"github.com/contiv/contiv/checksum"
)

// Marker identifies the member that has served from a directory. It is kept beside the directory, and outlives it.
type Marker struct {
	Name   string `json:"name"`
	Member string `json:"member"` // id, in hexadecimal
}

// MarkerFile returns the path of the marker of a directory.
func MarkerFile(dir string) string { return filepath.Clean(dir) + ".member" }

// ReadMarker returns the marker of a directory; the zero value if none exists. Its error has the remedy.
func ReadMarker(dir string) (out Marker, err error) {
	text, err := os.ReadFile(MarkerFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err == nil {
		err = checksum.CheckJSON(text)
	}
	if _, odd := strconv.ParseUint(out.Member, 16, 64); err == nil && odd != nil {
		err = fmt.Errorf("member: got %.40q, want an id in hexadecimal", out.Member)
	}
	if err != nil {
		return Marker{}, fmt.Errorf("%s: %w; remove it if the directory is that of this host's member", MarkerFile(dir), err)
	}
	return out, nil
}

// Write writes the marker beside a directory, durably.
func (n Marker) Write(dir string) error {
	if was, err := ReadMarker(dir); err == nil && was == n {
		return nil
	}
	text, err := checksum.JSON(n)
	if err != nil {
		return err
	}
	return place(MarkerFile(dir), text)
}

// place replaces the contents of a file, durably.
func place(path string, text []byte) error {
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Held returns the id of the member whose data a directory has, in hexadecimal as etcdctl prints it, or "" if it has none. It returns an
// error if the first records of the member's log cannot be read.
func Held(dir string) (member string, err error) {
	logs := datadir.ToWALDir(filepath.Clean(dir))
	if !wal.Exist(logs) {
		return "", nil
	}
	names, err := fileutil.ReadDir(logs, fileutil.WithExt(".wal"))
	if err != nil {
		return "", err
	}
	f, err := os.Open(filepath.Join(logs, slices.Max(names)))
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	in := wal.NewDecoder(fileutil.NewFileReader(f))
	for rec := (&walpb.Record{}); ; {
		if err := in.Decode(rec); err != nil {
			return "", fmt.Errorf("%s: %w", f.Name(), err)
		}
		switch rec.GetType() {
		case wal.CrcType:
			in.UpdateCRC(rec.GetCrc())
		case wal.MetadataType:
			var m etcdserverpb.Metadata
			if err := proto.Unmarshal(rec.GetData(), &m); err != nil {
				return "", fmt.Errorf("%s: %w", f.Name(), err)
			}
			return ID(m.GetNodeID()), nil
		}
	}
}

// ID formats the id of a member as it is stored and printed.
func ID(id uint64) string { return strings.ToLower(strconv.FormatUint(id, 16)) }
