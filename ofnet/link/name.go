package link

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"
)

// NameLimit is the longest name of a network interface (IFNAMSIZ without the final zero).
const NameLimit = 15

// Name derives the name of the host end from an endpoint's id: stable, and 60 bits wide, so that a second try is next
// to never needed. A caller that finds the name in use by another endpoint counts try up from 0.
func Name(id string, try int) string {
	if try > 0 {
		id += "\x00" + strconv.Itoa(try)
	}
	sum := sha256.Sum256([]byte(id))
	const letters = "abcdefghijklmnopqrstuvwxyz234567"
	return "vv" + base32.NewEncoding(letters).EncodeToString(sum[:])[:12]
}

// FarName is the name of the container's end while that is on the host, of the pair whose host end is called so.
func FarName(host string) string { return "vf" + host[min(len(host), 2):] }
