// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contiv/contiv/checksum"
	"github.com/contiv/contiv/daemon/record"
)

// DefaultKeptFile is where agents save the networks that they keep in their engines, unless another path is named.
const DefaultKeptFile = "/var/lib/contiv/docker-networks"

// keptLimit bounds what is read of a file, in bytes: a hundred thousand networks.
const keptLimit = 64 << 20

// KeptFile is the path of the file in which the networks of a Kept outlast the agent and the host; "" is none.
type KeptFile string

// keptText is what the file has, beside its checksum.
type keptText struct {
	Networks []record.DockerNetwork `json:"networks"`
}

// Read returns the networks; none where there is no file. A damaged file is an error.
func (f KeptFile) Read() ([]record.DockerNetwork, error) {
	if f == "" {
		return nil, nil
	}
	info, err := os.Stat(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var text []byte
	var out keptText
	if err == nil && info.Size() > keptLimit {
		err = fmt.Errorf("got %d bytes, want at most %d", info.Size(), keptLimit)
	}
	if err == nil {
		text, err = os.ReadFile(string(f))
	}
	if err == nil {
		err = errors.Join(checksum.CheckJSON(text), json.Unmarshal(text, &out))
	}
	if err != nil {
		return nil, fmt.Errorf("read Docker networks of the agent from %s: %w", f, err)
	}
	return out.Networks, nil
}

// Write puts the networks in the place of the file, durably: a reader finds the old text or the new one.
func (f KeptFile) Write(networks []record.DockerNetwork) (err error) {
	if f == "" {
		return nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("save Docker networks of the agent in %s: %w", f, err)
		}
	}()
	if networks == nil {
		networks = []record.DockerNetwork{}
	}
	text, err := checksum.JSON(keptText{networks})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o755); err != nil {
		return err
	}
	next := string(f) + ".new"
	file, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(next, string(f))
	}
	if err != nil {
		_ = os.Remove(next)
	}
	return err
}
