// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
)

// Refusal is a handshake with a client that failed because one end does not accept the certificate of the other.
type Refusal struct {
	Peer Identity // that the client's certificate names, which proves nothing; the zero value: it has shown none
	Why  string   // with the identity and the cause
}

// rejected is the error of a certificate of the cluster that is not accepted: it is revoked, or of a role that the connection is not for.
type rejected struct {
	peer Identity
	error
}

// Unwrap returns the cause.
func (r *rejected) Unwrap() error { return r.error }

// RefusalOf returns the refusal in the error of a server's handshake; false if the handshake failed for another reason, such as the end of the
// connection.
func (h *Holder) RefusalOf(err error) (out Refusal, ok bool) {
	if err == nil {
		return out, false
	}
	if r, is := errors.AsType[*rejected](err); is {
		return Refusal{r.peer, r.Error()}, true
	}
	if v, is := errors.AsType[*tls.CertificateVerificationError](err); is && len(v.UnverifiedCertificates) > 0 {
		c := v.UnverifiedCertificates[0]
		out.Peer, _ = Of(c) // that of a foreign certificate may be none
		out.Why = explained(v.Err, c, h.now()).Error()
		return out, true
	}
	if strings.Contains(err.Error(), alert) {
		return Refusal{Why: fmt.Sprintf("it refuses our certificate of %s, whose serial is %s; its log has the reason, and the clocks of both may differ: %v", h.Identity(), Serial(h.Certificate()), err)}, true
	}
	return out, false
}
