/// Decides which addresses belong to the public internet, according to the IANA special-purpose address registries.
enum PublicAddress {
    static func isPublic(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: !refused4.contains { $0.contains(bytes) }
        case 16 where translated.contains(bytes): isPublic(Array(bytes[12...]))
        case 16: global16.contains(bytes) && !refused16.contains { $0.contains(bytes) }
        default: false
        }
    }

    private struct Block {
        let prefix: [UInt8]
        let bits: Int

        func contains(_ bytes: [UInt8]) -> Bool {
            for (index, wanted) in prefix.enumerated() {
                let left = bits - index * 8
                let mask: UInt8 = left >= 8 ? 0xFF : ~(0xFF >> UInt8(max(left, 0)))
                if bytes[index] & mask != wanted & mask { return false }
            }
            return true
        }
    }

    private static let refused4: [Block] = [
        Block(prefix: [0], bits: 8),  // this network
        Block(prefix: [10], bits: 8),  // private
        Block(prefix: [100, 64], bits: 10),  // shared, CGNAT
        Block(prefix: [127], bits: 8),  // loopback
        Block(prefix: [169, 254], bits: 16),  // link-local, cloud metadata
        Block(prefix: [172, 16], bits: 12),  // private
        Block(prefix: [192, 0, 0], bits: 24),  // IETF assignments
        Block(prefix: [192, 0, 2], bits: 24),  // documentation
        Block(prefix: [192, 88, 99], bits: 24),  // old 6to4 relays
        Block(prefix: [192, 168], bits: 16),  // private
        Block(prefix: [198, 18], bits: 15),  // benchmarking
        Block(prefix: [198, 51, 100], bits: 24),  // documentation
        Block(prefix: [203, 0, 113], bits: 24),  // documentation
        Block(prefix: [224], bits: 4),  // multicast
        Block(prefix: [240], bits: 4),  // reserved and broadcast
    ]

    private static let global16 = Block(prefix: [0x20], bits: 3)  // 2000::/3
    // NAT64 (64:ff9b::/96): the last four bytes are an IPv4 address.
    private static let translated = Block(prefix: [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], bits: 96)

    // Blocks of 2000::/3 that are not public. IANA has assigned public unicast addresses only in 2000::/3.
    private static let refused16: [Block] = [
        Block(prefix: [0x20, 0x01, 0x00], bits: 23),  // IETF assignments, Teredo among them
        Block(prefix: [0x20, 0x01, 0x0D, 0xB8], bits: 32),  // documentation
        Block(prefix: [0x20, 0x02], bits: 16),  // 6to4, which can contain any IPv4 address
        Block(prefix: [0x3F, 0xFF, 0x00], bits: 20),  // documentation
    ]
}
