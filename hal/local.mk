# hal
