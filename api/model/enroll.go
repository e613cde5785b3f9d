// SPDX-License-Identifier: Apache-2.0

package model

import "time"

// JoinRequest requests the credentials of a new host of the cluster: POST /api/v1/join. The sender has a token, and no certificate yet.
type JoinRequest struct {
	Token  string              `json:"token"`            // ID.SECRET.PIN, as contiv token create prints it
	Pod    string              `json:"pod,omitempty"`    // instead of Token, from an agent in a pod: a service account token that Kubernetes has issued for that pod
	Agent  *CertificateRequest `json:"agent,omitempty"`  // of the host's agent, by the host's label
	Master *MasterRequest      `json:"master,omitempty"` // of its netmaster, if it runs one; only for tokens that permit it
}

// CertificateRequest requests a certificate for a key from the cluster's CA.
type CertificateRequest struct {
	Name    string `json:"name"`    // the future name of the key's holder
	Request string `json:"request"` // PKCS #10, PEM
}

// MasterRequest is the part of a JoinRequest for a netmaster.
type MasterRequest struct {
	CertificateRequest
	PeerURL string `json:"peerURL,omitempty"` // URL at which its member of the embedded store will serve the others, if the cluster has one
}

// JoinAnswer has the credentials and settings of a new host of the cluster.
type JoinAnswer struct {
	Authority    string          `json:"authority"`              // certificates, PEM
	AuthorityKey string          `json:"authorityKey,omitempty"` // PEM, only for netmasters
	Agent        string          `json:"agent,omitempty"`        // certificate, PEM
	Master       string          `json:"master,omitempty"`       // certificate, PEM
	Netmasters   []string        `json:"netmasters"`             // their addresses, "host:port"
	Settings     ClusterSettings `json:"settings"`
	Store        StoreSettings   `json:"store"`
	Incarnation  *Incarnation    `json:"incarnation,omitempty"` // of the cluster's store
}

// Incarnation identifies the history of a cluster's store, so that no daemon mistakes another store for it.
type Incarnation struct {
	ID           string    `json:"id"`
	Predecessors []string  `json:"predecessors,omitempty"` // ids of the preceding ones, newest first
	Cause        string    `json:"cause"`                  // "init", "new-store", "restore" or "alone"
	Created      time.Time `json:"created"`
}

// ClusterSettings are the common settings of all daemons of a cluster.
type ClusterSettings struct {
	Mode    string `json:"mode"`
	NetMode string `json:"netMode"`
	FwdMode string `json:"fwdMode"`
}

// StoreSettings describe the cluster's store.
type StoreSettings struct {
	Kind    string            `json:"kind"`              // "embedded" in netmasters, or "etcd" or "consul" beside them
	URLs    []string          `json:"urls,omitempty"`    // of the latter
	Members map[string]string `json:"members,omitempty"` // of an embedded one: peer URLs by names, with that of the netmaster that joins
	Member  string            `json:"member,omitempty"`  // id of the latter's member, in hexadecimal
}

// RenewRequest requests a certificate of the sender, for another key: POST /api/v1/certificates/renew.
type RenewRequest struct {
	Request string `json:"request"` // PKCS #10, PEM
}

// RenewEndedRequest requests a certificate of the agent whose certificate has expired, for another key: POST
// /api/v1/certificates/renew-ended. The key of the expired certificate signs the request, and the machine is the one that was admitted as
// the host.
type RenewEndedRequest struct {
	Request     string `json:"request"`     // PKCS #10, PEM
	Certificate string `json:"certificate"` // the expired one, PEM
	Signature   []byte `json:"signature"`   // by its key, as trust.Holder.SignRequest makes it
	Machine     string `json:"machine"`     // identity of the machine
}

// RenewAnswer has the certificate, and the CA's current certificates.
type RenewAnswer struct {
	Certificate string `json:"certificate"` // PEM
	Authority   string `json:"authority"`   // PEM
}

// ReaddressRequest changes the address at which a host is reached: POST /api/v1/readdress. The host's own certificate proves the host,
// and the request comes from the new address; or an operator sends it. Without Agent, Master, PeerURL and Only nothing changes, and the
// answer reports whether the addresses are free.
type ReaddressRequest struct {
	Host    string `json:"host"`              // label
	Address string `json:"address"`           // at which netmasters and agents reach the host
	VTEP    string `json:"vtep,omitempty"`    // tunnel endpoint address; "": Address
	Agent   string `json:"agent,omitempty"`   // request for a certificate of its agent, PKCS #10, PEM, for Address and the hosts of the current certificate
	Master  string `json:"master,omitempty"`  // the same for its netmaster
	PeerURL string `json:"peerURL,omitempty"` // URL at which its member of the embedded store serves the others after the change
	Only    bool   `json:"only,omitempty"`    // revoke certificates of the host for other addresses than Address
}

// ReaddressAnswer has the certificates for a ReaddressRequest, and the addresses of netmasters and members of an embedded store.
type ReaddressAnswer struct {
	Agent      string            `json:"agent,omitempty"`   // certificate, PEM
	Master     string            `json:"master,omitempty"`  // certificate, PEM
	Revoked    []string          `json:"revoked,omitempty"` // serials
	Netmasters []string          `json:"netmasters"`        // "host:port"
	Members    map[string]string `json:"members,omitempty"` // peer URLs by names
}

// CertificateInfo is a certificate that the cluster's authority has issued.
type CertificateInfo struct {
	Serial    string    `json:"serial"`   // in hexadecimal
	Identity  string    `json:"identity"` // spiffe://contiv/ROLE/NAME
	Hosts     []string  `json:"hosts,omitempty"`
	By        string    `json:"by,omitempty"` // the requester
	Issued    time.Time `json:"issued"`
	Until     time.Time `json:"until"`
	Revoked   time.Time `json:"revoked,omitzero"`
	RevokedBy string    `json:"revokedBy,omitempty"`
}

// RecordRequest registers certificates that were issued outside of netmaster, by the key of the CA: POST /api/v1/certificates.
type RecordRequest struct {
	Certificates string `json:"certificates"` // PEM
}

// RevokeRequest revokes one certificate, or all of one identity: POST /api/v1/certificates/revoke. One of the two is given.
type RevokeRequest struct {
	Serial   string `json:"serial,omitempty"`
	Identity string `json:"identity,omitempty"`
}

// RotateRequest has the replacement of the cluster's authority continue with a phase: POST /api/v1/authority.
type RotateRequest struct {
	Phase string `json:"phase"`           // "trust", "sign" or "finish"
	Force bool   `json:"force,omitempty"` // of sign: continue though daemons do not answer, of which it is unknown whether they trust the next authority
}

// Rotation is how far the replacement of the cluster's authority is: GET /api/v1/authority.
type Rotation struct {
	Phase   string    `json:"phase,omitempty"`   // "trust", "sign" or "finish", which is complete; absent: it was never replaced
	From    string    `json:"from,omitempty"`    // fingerprint of the authority that is replaced
	To      string    `json:"to,omitempty"`      // of the next one
	Since   time.Time `json:"since,omitzero"`    // of the phase
	Waiting []string  `json:"waiting,omitempty"` // what the next phase waits for: daemons that do not trust the next authority, or who has certificates of the previous one
}

// Authorities are the authorities that a netmaster trusts: GET /plugin/authority.
type Authorities struct {
	Certificates string `json:"certificates"` // PEM
	Signs        string `json:"signs"`        // fingerprint of the one that signs
}

// JoinTokenRequest requests a token with which hosts join: POST /api/v1/tokens.
type JoinTokenRequest struct {
	TTL      string `json:"ttl,omitempty"`      // "24h" if absent
	Uses     *int   `json:"uses,omitempty"`     // maximum number of hosts; 0: any number; 1 if absent
	Masters  bool   `json:"masters,omitempty"`  // the host may also be a netmaster
	Replaces string `json:"replaces,omitempty"` // name of the only host that may join with it, which replaces one whose certificates may be valid
}

// JoinTokenInfo describes a token.
type JoinTokenInfo struct {
	ID       string    `json:"id"`
	Masters  bool      `json:"masters,omitempty"`
	Replaces string    `json:"replaces,omitempty"`
	Uses     int       `json:"uses"` // 0: any number
	Used     int       `json:"used"`
	By       string    `json:"by"`
	Made     time.Time `json:"made"`
	Expires  time.Time `json:"expires"`
}

// JoinToken is a new token. Its text is returned only once.
type JoinToken struct {
	JoinTokenInfo
	Token      string   `json:"token"`
	Netmasters []string `json:"netmasters"` // where a host may join, "host:port"
}

// DepartRequest removes a host from the cluster for good: POST /api/v1/leave. Its agent must have ended before.
type DepartRequest struct {
	Agent  string `json:"agent,omitempty"`  // label of the host
	Master string `json:"master,omitempty"` // name of its netmaster, which gives up its part of the embedded store
	Lost   bool   `json:"lost,omitempty"`   // the netmaster's disk is lost, as reported by another host: refused while its member of the embedded store answers
	Force  bool   `json:"force,omitempty"`  // with Lost: accept it even if it is unknown whether that member runs
}

// HostEndpoints are the endpoints of containers on a host, which its departure would cut off: GET /api/v1/leave.
type HostEndpoints struct {
	Host      string   `json:"host"`
	Endpoints []string `json:"endpoints"` // ids, except the host's own in networks for hosts
}

// DrainRequest makes a host accept no new endpoints for 15 seconds, or ends that: POST /api/v1/drain. The answer is its HostEndpoints.
type DrainRequest struct {
	Host string `json:"host"`          // label
	End  bool   `json:"end,omitempty"` // the host accepts endpoints again
}

// Departed is the result of a DepartRequest.
type Departed struct {
	Revoked   []string `json:"revoked"`             // serials of certificates
	Freed     []string `json:"freed"`               // as Forgotten
	Endpoints []string `json:"endpoints,omitempty"` // ids of those that are left on the host
	Member    string   `json:"member,omitempty"`    // of the embedded store, which was removed
	Members   int      `json:"members,omitempty"`   // of the embedded store, which are left
	Evidence  string   `json:"evidence,omitempty"`  // with Lost: the evidence that the member does not run
}
