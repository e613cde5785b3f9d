// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/api/model"
)

// spareDescriptors is the number of descriptors that one request may use.
const spareDescriptors = 16

// Descriptors returns the number of file descriptors that this process has open, of RLIMIT_NOFILE. A process without a free descriptor
// cannot count them, and has as many as the limit. The result is empty if the number is unknown. It blocks for the kernel.
func Descriptors() []model.Resource {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return nil
	}
	out := model.Resource{Name: "descriptors", Max: min(limit.Cur, 1<<30), Need: spareDescriptors}
	list, err := os.ReadDir("/proc/self/fd")
	switch {
	case errors.Is(err, unix.EMFILE):
		out.Used = out.Max
	case err != nil:
		return nil
	default:
		out.Used = uint64(len(list) - 1) // without the descriptor of the directory itself
	}
	return []model.Resource{out}
}
