# contract
