// SPDX-License-Identifier: Apache-2.0

package link

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"
)

// NameLimit is the longest name of a network interface (IFNAMSIZ without the final zero).
const NameLimit = 15

// Name derives the name of the host end from an endpoint's id: stable, and 60 bits wide, so that a second try is almost never needed. If
// another endpoint uses the name, the caller increments try from 0.
func Name(id string, try int) string {
	if try > 0 {
		id += "\x00" + strconv.Itoa(try)
	}
	sum := sha256.Sum256([]byte(id))
	const letters = "abcdefghijklmnopqrstuvwxyz234567"
	return "vv" + base32.NewEncoding(letters).EncodeToString(sum[:])[:12]
}

// FarName is the name of the container's end while that is on the host, for the pair whose host end has this name.
func FarName(host string) string { return "vf" + host[min(len(host), 2):] }
