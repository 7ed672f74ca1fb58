import IdentityHTTP
import Testing

@Suite struct AddressPolicyTests {
    @Test(
        "publicOnly accepts public addresses",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.1", "169.253.0.1", "169.255.0.1", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.255.255",
            "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2001:4860:4860::8888",
            "2a00::1", "64:ff9b::8.8.8.8",
        ]
    )
    func permitted(host: String) throws {
        #expect(AddressPolicy.publicOnly.allows(try #require(ResolvedAddress(host: host, port: 443))))
    }

    @Test(
        "publicOnly refuses addresses that are not public",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.9.9.9",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1",
            "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1", "240.0.0.1",
            "255.255.255.255", "::", "::1", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "::8.8.8.8", "64:ff9b::10.0.0.1",
            "64:ff9b:1::8.8.8.8", "100::1", "2001::1", "2001:1ff::1", "2001:db8::1", "2002:808:808::1", "3fff::1",
            "3fff:fff::1", "fc00::1", "fd12::1", "fe80::1", "fec0::1", "ff02::1", "4000::1",
        ]
    )
    func refused(host: String) throws {
        #expect(!AddressPolicy.publicOnly.allows(try #require(ResolvedAddress(host: host, port: 443))))
    }

    @Test(
        "a host name or an unusual spelling of an address is not parsed as an address",
        arguments: ["", "localhost", "127.1", "010.0.0.1", "1.2.3.4 ", "fe80::1%lo", "1.2.3.4\u{0}"]
    )
    func notNumeric(host: String) {
        #expect(ResolvedAddress(host: host, port: 1) == nil)
    }

    @Test("an address is described in its canonical form, with its port")
    func text() {
        #expect(ResolvedAddress(host: "2001:DB8:0:0::1", port: 443)?.description == "[2001:db8::1]:443")
        #expect(ResolvedAddress(host: "127.0.0.1", port: 80)?.description == "127.0.0.1:80")
        #expect(ResolvedAddress(host: "::1", port: 80)?.isLoopback == true)
    }
}
