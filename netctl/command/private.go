// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"os"
)

// createPrivate creates a file that other accounts cannot read, for packets and the like; it truncates an existing file and restricts its
// permissions first.
func createPrivate(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		err = file.Chmod(0o600)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
