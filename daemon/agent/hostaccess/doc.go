// SPDX-License-Identifier: Apache-2.0

// Package hostaccess connects the host itself with the networks: by contivh0, behind which every endpoint has a private address and from
// which it reaches the outside, and by an interface in every infra network. It also keeps containers away from the host's own ports, and
// from the other machines of the cluster.
package hostaccess
