import IdentityCrypto
import Testing

/// Rules of RFC 7518, tested with signatures of another tool, the `openssl` command.
@Suite("Algorithm rules")
struct AlgorithmRuleTests {
    private static let message = Array("header.payload".utf8)

    @Test("a P-256 key verifies a signature over SHA-256, and none over SHA-384")
    func curveBinding() throws {
        let key = try VerificationKey.ellipticCurve(
            .p256,
            x: base64url("ols_UesaS-O-eDtuDDu-ekT6B7lcb7mz78F7_yuG4Po"),
            y: base64url("9HbLnAnlQm-UzvgXVuvLnPL3R7umI9r9OdbOztasKqE")
        )
        let overSHA256 = base64url(
            "1CYL69BO-UjjdgOxsZnSDv2IDt27vkkFXB1Seh3nGzwIG15EoqMUCkmKvrIY4Hq1pvwUf0CMX7_8mmxGNCHK9Q"
        )
        let overSHA384 = base64url(
            "Ip2EqhLru_4jVND8CNaGLWWA-oIAEu7ADZ42Ux0RG19lQPw0nYoUPRuyQt_oFhZEeMCbv2W6s2S4wnJCUBiQcA"
        )
        #expect(key.verify(overSHA256, of: Self.message, algorithm: .es256))
        for algorithm in SignatureAlgorithm.allCases {
            #expect(!key.verify(overSHA384, of: Self.message, algorithm: algorithm), "\(algorithm)")
        }
    }

    @Test("PS256 requires a salt as long as the hash, and a mask generation function (MGF1) with the same hash")
    func probabilisticSignatures() throws {
        let key = try VerificationKey.rsa(modulus: Self.modulus, exponent: [1, 0, 1])
        #expect(key.verify(Self.signature, of: Self.message, algorithm: .ps256))
        #expect(!key.verify(Self.shortSaltSignature, of: Self.message, algorithm: .ps256))
        #expect(!key.verify(Self.sha1MaskSignature, of: Self.message, algorithm: .ps256))
    }

    @Test("r and s keep their leading zeros: P-521 coordinates, which often begin with a zero, have their full length")
    func leadingZeros() throws {
        let key = try SigningKey.generateEllipticCurve(.p521)
        let verification = try key.verificationKey()
        for _ in 0..<20 {
            let signature = try key.sign(Self.message, algorithm: .es512)
            #expect(signature.count == 132)
            #expect(verification.verify(signature, of: Self.message, algorithm: .es512))
        }
    }

    private static let modulus = base64url(
        "19g6cBzD4XrkujrKEnvsMZBYvsAO2hp2TJm4eek4_WOfvxxOpjUrPYhxQn2rm6izID-s9Sx0opiCZFZH4FrjNWoBHEN0sAhF8bGO"
            + "ISC2DpKjojm_h6R9I_-Ku8VA9kYxeYOp65LDLfB2jGI2J4TEoumJGSDMZ6FRNdLSvJVdHfyL5AiKdQ6F7JNJmx7jVQGL3tQ3qQPZ"
            + "HYsXCqNjahX98gluBY3W8HMMAlzx-qIhXGTTVNgUDnnfL4SLnqUmWNvDVHXg7779IPfipydz5mj8AdDrSxjNAyZ0AuRzq5deKzxs"
            + "vlq-H62xb7lduMHUYPYzsS1kRz68hapEoV6p9_b-mw"
    )

    private static let signature = base64url(
        "L4HfGcWFDLitFH4fZoM1sjpN_vY2tI2smpzp46oR_Wr-pVmZnGKCL5Ovu7AjTfVADbB_wgX0C6HbXx2mhs_q4r5-JSYkZAeNsyHA"
            + "fHiTIvmRzoEUQY7godEPtoyaKdO4V_iRWPvDM8G3fOGP64chGZPyyNGQXqMYibimtOy9aIcrw-7gB8uZ8XUpMx4goHZ6x5HD9byy"
            + "aOtraFQ3pjlnZpWFiMtMCcTMbnP8kIbhH71mCLy1lxHHrIZhgHItVh3UkHEZaiUeXBN9svHJDdA6eT-QvGxOa1tnp7NNuQ2W0HVG"
            + "JkyFud_lzzgNEPc5xmBw4_FepLx1CTXluzfQWQz6AA"
    )

    private static let shortSaltSignature = base64url(
        "V0fn2BbbNf3f4Qk_MeYSfTMy6-Ez7DmGRBak5-ZDgtpbhyMZ0ihDnsFfKiem7bLeJkUzuTOc609NpukJUNU3nyLylYSGXbGBz6-A"
            + "YorvruyNN-PKSPv5uWmEEic1daCftgkDMhe2CwZ1b_q4Ywj-MFE_Ct9LYtmASmcQ2YymuEyxq85FXj55TSfxs9eRi7icRgC4w5Ns"
            + "_CSXwuVz53qZtLzoCeLNjdUA7hZL71_aUrzZLnVaZ_Jdj4GOTN0LxQ_O7xDHDhLGX85eLIr5UvWzClQg4pfve7gMZtppu5LB-yiD"
            + "47TIW81lsbgEYFKR2hlrPwY4mStCOP4eoUPxaQF0Zw"
    )

    private static let sha1MaskSignature = base64url(
        "jsbm_T61bQPl72_bb6fmELil_AOPGoKJQs8lDtVcX430HzZ5etLaMoD2Q9CwTTPdr98STZV8-PNy1HWfcK07GHm2d9iUdba4ftCq"
            + "Hj6yqb6YYwoyZykOIHfJmUOwVYOV1cqi03cPuYFlce8_t6PZgtvn8_CZqrE-Db4-JyTUD37SScT3RiYLqnya5mphE6Z2UTaFFF7D"
            + "oFV0YPcp98Q0qS17QcgmozljaziNM3zBl_thAeZGvNTjanUyupNS6thl5JH7GXDk3JThL83IkE1XdDi0mJGjFJ6ow8j90OrWYOdL"
            + "jSnQgse6hC21rbNGzkGh1l0VlBrrt0l7hOn8eMLP8A"
    )
}
