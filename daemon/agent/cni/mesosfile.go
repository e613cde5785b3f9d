// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// mesosFile is where Mesos keeps the configuration of a network named netcontiv, beside the handle of the container's namespace.
const mesosFile = "netcontiv/network.conf"

// maxMesosFile bounds it, in bytes.
const maxMesosFile = 1 << 20

// mesosFileArgs reads Mesos' arguments for a container from the original netcontiv's file, for configurations without them. It returns nil
// if there is no such file. The file must belong to the agent's account and must not be writable by others.
func mesosFileArgs(netns string) (*mesosArgs, error) {
	if !filepath.IsAbs(netns) {
		return nil, nil
	}
	path := filepath.Join(filepath.Dir(netns), mesosFile)
	// It does not follow a link or wait for a pipe.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("labels of Mesos: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("labels of Mesos: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() || int(owner.Uid) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("labels of Mesos: %s is to be a file of the account of netplugin that no other may write to", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxMesosFile+1))
	if err != nil {
		return nil, fmt.Errorf("labels of Mesos: %w", err)
	}
	if len(data) > maxMesosFile {
		return nil, fmt.Errorf("labels of Mesos: %s has more than %d bytes", path, maxMesosFile)
	}
	conf, err := parseConf(data)
	if err != nil {
		return nil, fmt.Errorf("labels of Mesos: %s: %w", path, err)
	}
	return conf.Args.Mesos, nil
}
