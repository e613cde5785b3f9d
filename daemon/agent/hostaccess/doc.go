// Package hostaccess connects the host itself with the networks: by contivh0, behind which every endpoint has a private
// address and from which it reaches the world, and by an interface in every infra network. The other way round it keeps containers
// away from the host's own ports, and from the other machines of the cluster.
package hostaccess
